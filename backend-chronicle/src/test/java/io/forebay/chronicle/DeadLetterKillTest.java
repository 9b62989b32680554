/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.CallFailure;
import io.forebay.call.FailureReceiver;
import io.forebay.call.Protocol;
import io.forebay.call.Reader;
import io.forebay.call.Writer;
import io.forebay.hosting.HostedService;
import io.forebay.hosting.ServiceQueues;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.errors.DeadLetterQueue;
import io.forebay.service.errors.ErrorPolicy;
import io.forebay.service.progress.HostedProgress;
import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process dies after it stored a dead letter and before it answered the message. */
final class DeadLetterKillTest {

  interface Pricing {
    void price(String item);
  }

  interface Prices {
    void priced(String item);
  }

  private static final Protocol<Pricing> PRICING = Protocol.of(Pricing.class);
  private static final Protocol<Prices> PRICES = Protocol.of(Prices.class);

  @TempDir Path data;

  /** A service on files; its component fails for salt, unless it is repaired. */
  private static final class Shop implements AutoCloseable {

    private final List<String> performed = new CopyOnWriteArrayList<>();
    private final ChronicleBackend backend;
    private final ServiceQueues queues;
    private final DeadLetterQueue letters;
    private final HostedService<Pricing, Prices> service;

    Shop(Path data, boolean repaired) {
      backend = ChronicleBackend.open(data);
      queues = ServiceQueues.open(backend, "pricing", 1);
      letters = DeadLetterQueue.open(backend, "pricing", 1, Duration.ofDays(1));
      service =
          new HostedService<>(
              new Service<>(
                  "pricing",
                  new Service.End<>(queues.in(), PRICING),
                  new Service.End<>(queues.out(), PRICES),
                  (_, prices) ->
                      item -> {
                        performed.add(item);
                        if (item.equals("salt") && !repaired) {
                          throw new IllegalStateException("no price");
                        }
                        prices.priced(item);
                      },
                  ServiceOptions.defaults()
                      .withOnError(ErrorPolicy.retry(1, Duration.ofMillis(1)).thenDeadLetter()),
                  HostedProgress.none(),
                  letters));
      service.start();
    }

    @Override
    public void close() {
      service.close();
      letters.close();
      backend.close();
    }
  }

  /** Dies at the crash point. */
  static final class Dying {
    public static void main(String[] arguments) throws Exception {
      Shop shop = new Shop(Path.of(arguments[0]), false);
      try (Writer<Pricing> writer = PRICING.writer(shop.queues.in())) {
        for (String item : List.of("tea", "salt", "rice")) {
          writer.calls().price(item);
        }
        writer.await(Duration.ofSeconds(10));
      }
      Thread.sleep(Duration.ofMinutes(5)); // the crash ends it
    }
  }

  /** Collects answers and failures. */
  private static final class Received implements Prices, FailureReceiver {
    private final List<String> all = new ArrayList<>();

    @Override
    public void priced(String item) {
      all.add(item);
    }

    @Override
    public void callFailed(CallFailure failure) {
      all.add(failure.error() + ": " + failure.text());
    }
  }

  @Test
  void theMessageIsAnsweredAsAFailureAndNotPerformedAgain() {
    List<String> options = ChildProcess.options("-Dforebay.crash-point=after-dead-letter");
    try (ChildProcess child =
        ChildProcess.start(ChildProcess.java(options, Dying.class, data.resolve("d")))) {
      child.awaitEnd(137);
    }

    Received received = new Received();
    try (Shop shop = new Shop(data.resolve("d"), true);
        Reader<Prices> answers = shop.service.createReader(received)) {
      await()
          .untilAsserted(() -> {
            answers.poll(10);
            assertThat(received.all)
                .containsExactly("tea", "java.lang.IllegalStateException: no price", "rice");
          });
      assertThat(shop.performed).doesNotContain("salt").contains("rice");
      assertThat(shop.letters.from(0, shop.queues.in().identity(), 0)).hasSize(1);
      assertThat(shop.service.state().phase()).isEqualTo(Phase.RUNNING);
    }
  }
}
