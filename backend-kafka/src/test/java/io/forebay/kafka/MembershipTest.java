/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.kafka.broker.BrokerProcess;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.Subscription;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MembershipTest {

  @TempDir Path directory;

  /**
   * An answer of the brokers may end a membership for good, although Kafka's client stays open:
   * here because the group is full, in production also because a restarted broker had an error.
   */
  @Test
  void aRejectedMemberRejoins() {
    BrokerProcess broker = TestBroker.start(directory, Map.of("group.consumer.max.size", "1"));
    try (KafkaBackend one = open(broker);
        KafkaBackend other = open(broker);
        MessageQueue first = one.open("orders", 1);
        MessageQueue second = other.open("orders", 1)) {
      Assigned assigned = new Assigned();
      Assigned waiting = new Assigned();
      Subscription working = first.subscribe("shop", assigned);
      await().until(() -> assigned.partitions.contains(0));
      try (Subscription turnedAway = second.subscribe("shop", waiting)) {
        await()
            .untilAsserted(() ->
                assertThat(turnedAway.outage().map(QueueOutage::text).orElse(""))
                    .contains("consumer shop of queue orders", "joins again", "maximum capacity"));
        assertThat(assigned.partitions).contains(0);
        assertThat(waiting.partitions).isEmpty();
        assertThat(working.outage()).isEmpty();
        working.close();
        await().until(() -> waiting.partitions.contains(0));
        await().until(() -> turnedAway.outage().isEmpty());
      }
    } finally {
      broker.kill();
    }
  }

  /**
   * Each instance refuses what it cannot perform, and only as long as it would perform it; but it
   * keeps refusing a partition whose log may have lost messages.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anInstanceAcceptsAgainWhenAnotherOneTakesTheFailedPartition(boolean mayBeLost) {
    KafkaBackend.Options options =
        KafkaBackend.Options.of(TestBroker.shared()).withPrefix(UUID.randomUUID() + ".");
    try (KafkaBackend one = KafkaBackend.open(options);
        KafkaBackend other = KafkaBackend.open(options);
        MessageQueue first = one.open("orders", 2);
        MessageQueue second = other.open("orders", 2);
        Appender appender = first.appender()) {
      Assigned failing = new Assigned();
      Assigned working = new Assigned();
      first.subscribe("shop", failing);
      await().until(() -> failing.partitions.containsAll(List.of(0, 1)));
      for (int partition = 0; partition < 2; partition++) {
        if (mayBeLost) {
          first.refuse(partition, "it failed");
        } else {
          first.refuseUntilMoved(partition, "it failed");
        }
      }
      second.subscribe("shop", working);
      await().until(() -> working.partitions.size() == 1 && failing.partitions.size() == 1);
      int moved = working.partitions.iterator().next();
      if (mayBeLost) {
        refuses(appender, moved);
      } else {
        await().untilAsserted(() -> appender.append(moved, ByteBuffer.allocate(8)));
      }
      refuses(appender, 1 - moved);
    }
  }

  private static void refuses(Appender appender, int partition) {
    assertThatThrownBy(() -> appender.append(partition, ByteBuffer.allocate(8)))
        .isInstanceOf(QueueRefused.class)
        .hasMessageContaining("it failed");
  }

  /** What is left of a former assignment must not commit in the name of the next one. */
  @Test
  void aFormerOwnerHasNoGenerationWhenThePartitionComesBack() {
    try (KafkaBackend backend =
            KafkaBackend.open(
                KafkaBackend.Options.of(TestBroker.shared()).withPrefix(UUID.randomUUID() + "."));
        MessageQueue queue = backend.open("orders", 1)) {
      Assigned assigned = new Assigned();
      KafkaSubscription subscription = (KafkaSubscription) queue.subscribe("shop", assigned);
      await().until(() -> assigned.partitions.contains(0));
      GroupMember former = subscription.of(0);
      assertThat(former.generation()).isNotNull();
      subscription.rejoin();
      await().until(() -> former.generation() == null);
      await().until(() -> subscription.of(0).generation() != null);
      assertThat(former.generation()).isNull();
    }
  }

  @Test
  void aPartitionIsRevokedAlthoughItsListenerFailsWhenItIsAboutToBe() {
    List<Integer> revoked = new CopyOnWriteArrayList<>();
    Assigned failing =
        new Assigned() {
          @Override
          public void revoking(int partition) {
            throw new IllegalStateException("of the listener");
          }

          @Override
          public void revoked(int partition) {
            super.revoked(partition);
            revoked.add(partition);
          }
        };
    try (KafkaBackend backend =
            KafkaBackend.open(
                KafkaBackend.Options.of(TestBroker.shared()).withPrefix(UUID.randomUUID() + "."));
        MessageQueue queue = backend.open("orders", 2)) {
      Subscription subscription = queue.subscribe("shop", failing);
      await().until(() -> failing.partitions.size() == 2);
      subscription.close();
    }
    assertThat(revoked).containsExactlyInAnyOrder(0, 1);
  }

  @Test
  void aFailedJoinIsReportedAndRetried() {
    KafkaBackend.Options usual = KafkaBackend.Options.of(TestBroker.shared());
    Map<String, Object> client = new HashMap<>(usual.client());
    client.put("session.timeout.ms", "3000"); // which a group of this protocol does not take
    try (KafkaBackend backend =
            KafkaBackend.open(
                new KafkaBackend.Options(
                    client,
                    UUID.randomUUID() + ".",
                    usual.replication(),
                    usual.retention(),
                    usual.keys(),
                    usual.trustUnproven()));
        MessageQueue queue = backend.open("orders", 1);
        Subscription subscription = queue.subscribe("shop", new Assigned())) {
      await().until(() -> subscription.outage().isPresent());
      assertThat(subscription.outage().orElseThrow().text())
          .contains("consumer shop of queue orders in its group failed", "session.timeout.ms");
    }
  }

  private static KafkaBackend open(BrokerProcess broker) {
    return KafkaBackend.open(KafkaBackend.Options.of(broker.bootstrap()));
  }

  private static class Assigned implements PartitionListener {

    final Set<Integer> partitions = ConcurrentHashMap.newKeySet();

    @Override
    public void assigned(int partition) {
      partitions.add(partition);
    }

    @Override
    public void revoked(int partition) {
      partitions.remove(partition);
    }

    @Override
    public void lost(int partition) {
      partitions.remove(partition);
    }
  }
}
