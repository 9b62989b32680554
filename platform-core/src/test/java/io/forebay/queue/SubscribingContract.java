/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Consumers: their partitions, and the messages kept for them. */
abstract class SubscribingContract extends QueueFixture {

  SubscribingContract(MessageQueueContract backends) {
    super(backends);
  }

  /** Records its calls, and whether two calls overlapped. */
  private static final class Noted implements PartitionListener {
    final List<String> calls = new CopyOnWriteArrayList<>();
    final AtomicInteger inside = new AtomicInteger();
    final AtomicInteger overlaps = new AtomicInteger();

    private void note(String call) {
      if (inside.incrementAndGet() > 1) {
        overlaps.incrementAndGet();
      }
      calls.add(call);
      inside.decrementAndGet();
    }

    @Override
    public void assigned(int partition) {
      note("assigned " + partition);
    }

    @Override
    public void revoked(int partition) {
      note("revoked " + partition);
    }

    @Override
    public void lost(int partition) {
      note("lost " + partition);
    }

    void awaitAssigned(int partitions) {
      eventually().until(() -> calls.size() >= partitions);
    }
  }

  private Subscription join(String consumer) {
    Noted noted = new Noted();
    Subscription subscription = queue.subscribe(consumer, noted);
    noted.awaitAssigned(queue.partitions());
    return subscription;
  }

  @Test
  void assignsEveryPartitionAndRevokesItWhenTheConsumerLeaves() {
    openQueue(3);
    Noted noted = new Noted();
    Subscription subscription = queue.subscribe("orders", noted);
    noted.awaitAssigned(3);
    assertThat(subscription.consumer()).isEqualTo("orders");
    assertThat(noted.calls).containsExactlyInAnyOrder("assigned 0", "assigned 1", "assigned 2");

    subscription.close();
    assertThat(noted.calls.subList(3, noted.calls.size()))
        .containsExactlyInAnyOrder("revoked 0", "revoked 1", "revoked 2");
    subscription.close();
    assertThat(noted.calls).hasSize(6);
    assertThat(noted.overlaps).hasValue(0);
  }

  @Test
  void closingTheQueueRevokesWhatWasAssigned() {
    openQueue(2);
    Noted noted = new Noted();
    queue.subscribe("orders", noted);
    noted.awaitAssigned(2);
    queue.close();
    assertThat(noted.calls.subList(2, noted.calls.size()))
        .containsExactlyInAnyOrder("revoked 0", "revoked 1");
    assertThatIllegalStateException().isThrownBy(() -> queue.subscribe("orders", noted));
  }

  @Test
  void aConsumerMayReportItsPositionWhileAPartitionIsRevoked() {
    openQueue(1);
    sendMany(0, "message", 5);
    long third = positions(0, 5).get(2);
    List<Subscription> own = new ArrayList<>();
    AtomicInteger assigned = new AtomicInteger();
    own.add(
        queue.subscribe(
            "orders",
            new PartitionListener() {
              @Override
              public void assigned(int partition) {
                assigned.incrementAndGet();
              }

              @Override
              public void revoked(int partition) {
                own.getFirst().passed(partition, third);
              }

              @Override
              public void lost(int partition) {}
            }));
    eventually().until(() -> assigned.get() == 1);
    own.getFirst().close();
    awaitPassed("orders", third);
  }

  private void awaitPassed(String consumer, long position) {
    eventually()
        .untilAsserted(() -> assertThat(queue.stats(0).passed()).containsEntry(consumer, position));
  }

  @Test
  void refusesASecondSubscriptionOfTheSameConsumerUntilTheFirstLeaves() {
    openQueue(1);
    Subscription first = join("orders");
    Noted refused = new Noted();
    assertThatIllegalStateException().isThrownBy(() -> queue.subscribe("orders", refused));
    assertThat(refused.calls).isEmpty();
    Subscription other = join("audit");
    other.close();

    first.close();
    join("orders").close();
  }

  @Test
  void reportsThePositionOfEachConsumerWhichNeverDecreases() {
    openQueue(2);
    sendMany(0, "message", 10);
    List<Long> positions = positions(0, 10);
    try (Subscription orders = join("orders");
        Subscription audit = join("audit")) {
      orders.passed(0, positions.get(7));
      audit.passed(0, positions.get(2));
      awaitPassed("orders", positions.get(7));
      awaitPassed("audit", positions.get(2));
      orders.passed(0, positions.get(8));
      awaitPassed("orders", positions.get(8));
    }
  }

  @Test
  void keepsWhatTheSlowestConsumerStillNeeds() {
    openQueue(1);
    List<String> sent = sendMany(0, "message", 20);
    List<Long> positions = positions(0, 20);
    try (Subscription slow = join("slow");
        Subscription fast = join("fast")) {
      long end = end();
      fast.passed(0, end);
      awaitPassed("fast", end);
      assertKept(positions, sent, 0);

      slow.passed(0, positions.get(12));
      awaitPassed("slow", positions.get(12));
      assertKept(positions, sent, 12);
    }
  }

  @Test
  void aConsumerThatLeftStillHoldsBackWhatItNeeds() {
    openQueue(1);
    List<String> sent = sendMany(0, "message", 20);
    List<Long> positions = positions(0, 20);
    Subscription left = join("left");
    left.passed(0, positions.get(5));
    awaitPassed("left", positions.get(5));
    left.close();
    try (Subscription stays = join("stays")) {
      long end = end();
      stays.passed(0, end);
      awaitPassed("stays", end);
      assertKept(positions, sent, 5);
    }
    assertThat(queue.stats(0).passed()).containsKey("left");
  }

  private long end() {
    try (Tailer tailer = queue.tailer(0)) {
      tailer.toEnd();
      return tailer.position();
    }
  }

  /**
   * Asserts that messages from this one on are kept; retention by age keeps them too, because they
   * are new.
   */
  private void assertKept(List<Long> positions, List<String> sent, int from) {
    OptionalLong first = queue.stats(0).first();
    if (heldByConsumers()) {
      assertThat(first).isPresent();
    }
    first.ifPresent(known -> assertThat(known).isLessThanOrEqualTo(positions.get(from)));
    try (Tailer tailer = queue.tailer(0)) {
      tailer.seek(positions.get(from));
      assertThat(texts(read(tailer, sent.size() - from)))
          .isEqualTo(sent.subList(from, sent.size()));
    }
  }

  @Test
  void aDurableQueueRemembersItsConsumersOverARestart() {
    openQueue(1);
    List<String> sent = sendMany(0, "message", 10);
    List<Long> positions = positions(0, 10);
    try (Subscription orders = join("orders")) {
      orders.passed(0, positions.get(6));
      awaitPassed("orders", positions.get(6));
    }

    restart();
    if (!durable()) {
      assertThat(queue.stats(0).passed()).isEmpty();
      return;
    }
    eventually().until(() -> queue.passed("orders", 0).isPresent());
    assertThat(queue.passed("orders", 0).orElseThrow()).isLessThanOrEqualTo(positions.get(6));
    try (Subscription other = join("other")) {
      long end = end();
      other.passed(0, end);
      awaitPassed("other", end);
      assertKept(positions, sent, 6);
    }
  }
}
