/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.forebay.queue.MessageQueue;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.memory.MemoryBackend;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LocalSubscriptionTest {

  private final MemoryBackend backend = MemoryBackend.open();
  private final MessageQueue queue = backend.open("orders", 3);
  private final List<String> calls = new ArrayList<>();

  /** The partition at which the listener throws. */
  private int bad = -1;

  private final LocalSubscription subscription =
      new LocalSubscription(
          queue,
          "shop",
          new PartitionListener() {
            @Override
            public void assigned(int partition) {
              call("assigned " + partition, partition);
            }

            @Override
            public void revoked(int partition) {
              call("revoked " + partition, partition);
            }

            @Override
            public void lost(int partition) {
              throw new AssertionError("a local queue loses no partition");
            }
          },
          (consumer, partition, position) ->
              calls.add("%s passed %d/%d".formatted(consumer, partition, position)),
          it -> calls.add(it.consumer() + " left"));

  private void call(String what, int partition) {
    calls.add(what);
    if (partition == bad) {
      throw new IllegalArgumentException("a defect of the listener");
    }
  }

  @AfterEach
  void close() {
    backend.close();
  }

  @Test
  void ownsAllPartitionsUntilItIsClosed() {
    subscription.start();
    subscription.passed(1, 7);
    subscription.close();
    subscription.close();
    assertThat(calls)
        .containsExactly(
            "assigned 0",
            "assigned 1",
            "assigned 2",
            "shop passed 1/7",
            "revoked 2",
            "revoked 1",
            "revoked 0",
            "shop left");
    assertThatIllegalStateException()
        .isThrownBy(() -> subscription.passed(1, 8))
        .withMessage("consumer shop has left queue orders; it must subscribe again first");
  }

  @Test
  void revokesAssignedPartitionsIfTheListenerThrowsAtTheNext() {
    bad = 1;
    try {
      subscription.start();
    } catch (IllegalArgumentException e) {
      calls.add("thrown");
    }
    assertThat(calls)
        .containsExactly("assigned 0", "assigned 1", "revoked 0", "shop left", "thrown");
  }

  @Test
  void revokesAllPartitionsEvenIfTheListenerThrows() {
    subscription.start();
    calls.clear();
    bad = 1;
    subscription.close();
    assertThat(calls).containsExactly("revoked 2", "revoked 1", "revoked 0", "shop left");
  }

  @Test
  void assignsNothingAfterItWasClosed() {
    subscription.close();
    calls.clear();
    assertThatIllegalStateException().isThrownBy(subscription::start);
    assertThat(calls).isEmpty();
  }
}
