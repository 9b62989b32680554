/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.queue.MessageQueue;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ServiceDefinitionTest {

  interface Orders {
    void ordered(String item);
  }

  interface Prices {
    void priced(String item);
  }

  @Test
  void aCallWaitsForAQueueThatOthersShareUnlessTheDefinitionSaysHowLong() {
    ServiceDefinition<Orders, Prices> pricing =
        ServiceDefinition.<Orders, Prices>of(
            "pricing", Orders.class, Prices.class, prices -> prices::priced);
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
}
