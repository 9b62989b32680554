/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.progress.HostedProgress;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServiceDefinitionTest {

  interface Orders {
    void ordered(String item);
  }

  interface Prices {
    void priced(String item);
  }

  private final ServiceDefinition<Orders, Prices> pricing =
      ServiceDefinition.of("pricing", Orders.class, Prices.class, prices -> prices::priced);

  @Test
  void aCallWaitsForAQueueThatOthersShareUnlessTheDefinitionSaysHowLong() {
    MessageQueue shared = queue(true);
    MessageQueue own = queue(false);
    assertThat(pricing.await(shared)).isEqualTo(Duration.ofSeconds(30));
    assertThat(pricing.await(own)).isZero();
    assertThat(pricing.withAwait(Duration.ZERO).await(shared)).isZero();
    assertThat(pricing.withAwait(Duration.ofSeconds(5)).await(own)).hasSeconds(5);
  }

  /** A queue that says only whether it is shared. */
  private static MessageQueue queue(boolean shared) {
    return (MessageQueue)
        Proxy.newProxyInstance(
            MessageQueue.class.getClassLoader(),
            new Class<?>[] {MessageQueue.class},
            (_, method, _) -> method.getName().equals("shared") ? shared : null);
  }

  @Test
  void answersAndDeadLettersAreKeptAsLongAsTheDefinitionSays() {
    assertThat(opened(pricing))
        .containsOnly(
            entry("pricing.in", List.of(1)),
            entry("pricing.out", List.of(1, Duration.ofHours(72))),
            entry("pricing.dead", List.of(1, Duration.ofDays(30))));
    assertThat(
            opened(
                pricing
                    .withPartitions(2)
                    .withAnswersKept(Duration.ofHours(3))
                    .withDeadLettersKept(Duration.ofDays(4))))
        .containsOnly(
            entry("pricing.in", List.of(2)),
            entry("pricing.out", List.of(2, Duration.ofHours(3))),
            entry("pricing.dead", List.of(2, Duration.ofDays(4))));
  }

  /** The queues of a service by their names, with their partitions and for how long they keep. */
  private static Map<String, List<Object>> opened(ServiceDefinition<Orders, Prices> definition) {
    Map<String, List<Object>> opened = new HashMap<>();
    try (MemoryBackend memory = MemoryBackend.open()) {
      QueueBackend backend =
          (QueueBackend)
              Proxy.newProxyInstance(
                  QueueBackend.class.getClassLoader(),
                  new Class<?>[] {QueueBackend.class},
                  (_, method, arguments) -> {
                    List<Object> all = List.of(arguments);
                    opened.put((String) all.getFirst(), all.subList(1, all.size()));
                    return method.invoke(memory, arguments);
                  });
      DefinedService.open(backend, definition, HostedProgress.none()).close();
    }
    return opened;
  }
}
