/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Tickets, and how a caller learns that they are acknowledged. */
abstract class AcknowledgingContract extends QueueFixture {

  AcknowledgingContract(MessageQueueContract backends) {
    super(backends);
  }

  private record Acknowledged(int partition, long ticket, long position) {}

  @Test
  void countsTicketsFromOneOverAllPartitions() {
    openQueue(3);
    try (Appender appender = queue.appender();
        Appender other = queue.appender()) {
      assertThat(appender.ticket()).isZero();
      assertThat(appender.isAcknowledged(1)).isFalse();
      assertThat(appender.append(2, bytes("a"))).isEqualTo(1);
      assertThat(appender.append(0, bytes("b"))).isEqualTo(2);
      assertThat(other.append(0, bytes("c"))).isEqualTo(1);
      assertThat(appender.append(2, bytes("d"))).isEqualTo(3);
      assertThat(appender.ticket()).isEqualTo(3);
      assertThat(other.ticket()).isEqualTo(1);
    }
  }

  @Test
  void acknowledgesTheTicketThatWasAwaitedOrAll() throws Exception {
    openQueue(2);
    try (Appender appender = queue.appender()) {
      for (int i = 0; i < 100; i++) {
        appender.append(i % 2, bytes("message " + i));
      }
      appender.await(40, PATIENCE);
      assertThat(appender.isAcknowledged(40)).isTrue();
      appender.await(PATIENCE);
      for (int ticket = 1; ticket <= 100; ticket++) {
        assertThat(appender.isAcknowledged(ticket)).isTrue();
        appender.await(ticket, Duration.ZERO);
      }
      assertThat(appender.isAcknowledged(101)).isFalse();
    }
  }

  @Test
  void awaitingATicketThatWasNotGivenTimesOut() {
    openQueue(1);
    try (Appender appender = queue.appender()) {
      appender.append(0, bytes("one"));
      assertThatThrownBy(() -> appender.await(2, Duration.ofMillis(20)))
          .isInstanceOf(TimeoutException.class);
    }
  }

  @Test
  void awaitingCanBeInterrupted() {
    openQueue(1);
    try (Appender appender = queue.appender()) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> appender.await(1, PATIENCE))
          .isInstanceOf(InterruptedException.class);
      assertThat(Thread.interrupted()).isFalse();
    }
  }

  @Test
  void anotherThreadMayAwaitWhatThisOneAppends() throws Exception {
    openQueue(1);
    try (Appender appender = queue.appender()) {
      List<Throwable> thrown = new CopyOnWriteArrayList<>();
      Thread waiting =
          Thread.ofPlatform()
              .uncaughtExceptionHandler((thread, e) -> thrown.add(e))
              .start(() -> {
                try {
                  appender.await(50, PATIENCE);
                } catch (TimeoutException | InterruptedException e) {
                  throw new AssertionError(e);
                }
              });
      for (int i = 0; i < 50; i++) {
        appender.append(0, bytes("message " + i));
      }
      waiting.join(PATIENCE);
      assertThat(waiting.isAlive()).isFalse();
      assertThat(thrown).isEmpty();
    }
  }

  @Test
  void hundredsOfThreadsMayAwaitATicketEach() throws Exception {
    openQueue(1);
    int count = 300;
    List<Throwable> thrown = new CopyOnWriteArrayList<>();
    List<Thread> waiting = new ArrayList<>();
    try (Appender appender = queue.appender()) {
      for (int ticket = 1; ticket <= count; ticket++) {
        waiting.add(awaiting(appender, ticket, thrown));
        if (ticket % 3 == 0) {
          appender.append(0, bytes("message " + ticket));
        }
      }
      while (appender.ticket() < count) {
        appender.append(0, bytes("message"));
      }
      for (Thread each : waiting) {
        assertThat(each.join(PATIENCE)).isTrue();
      }
    }
    assertThat(thrown).isEmpty();
  }

  @Test
  void closingEndsTheWaitForATicketThatWasNotGiven() throws Exception {
    openQueue(1);
    List<Throwable> thrown = new CopyOnWriteArrayList<>();
    Thread waiting;
    try (Appender appender = queue.appender()) {
      appender.append(0, bytes("one"));
      waiting = awaiting(appender, 2, thrown);
      settle(appender);
    }
    assertThat(waiting.join(PATIENCE)).isTrue();
    assertThat(thrown).singleElement().isInstanceOf(QueueFailed.class);
  }

  private static Thread awaiting(Appender appender, long ticket, List<Throwable> thrown) {
    return Thread.ofVirtual()
        .start(() -> {
          try {
            appender.await(ticket, PATIENCE);
          } catch (TimeoutException | InterruptedException | RuntimeException e) {
            thrown.add(e);
          }
        });
  }

  @Test
  void reportsPartitionTicketAndPositionInTheOrderOfEachPartition() {
    openQueue(3);
    List<Acknowledged> told = new CopyOnWriteArrayList<>();
    List<Acknowledged> expected = new ArrayList<>();
    try (Appender appender = queue.appender()) {
      appender.append(0, bytes("0 before"));
      settle(appender);
      appender.onAcknowledged(
          (partition, ticket, position) -> told.add(new Acknowledged(partition, ticket, position)));
      for (int i = 0; i < 60; i++) {
        appender.append(i * 5 % 3, bytes(i * 5 % 3 + " at ticket " + (i + 2)));
      }
      settle(appender);
      if (!queue.capabilities().contiguous()) {
        assertThat(told).as("before await returns").hasSize(60);
      }
      eventually().until(() -> told.size() == 60);
    }

    List<List<Long>> positions = new ArrayList<>();
    for (int partition = 0; partition < 3; partition++) {
      int count = partition == 0 ? 21 : 20;
      positions.add(new ArrayList<>(positions(partition, count)));
    }
    positions.getFirst().removeFirst();
    for (int i = 0; i < 60; i++) {
      int partition = i * 5 % 3;
      expected.add(new Acknowledged(partition, i + 2, positions.get(partition).removeFirst()));
    }
    for (int partition = 0; partition < 3; partition++) {
      assertThat(in(partition, told)).isEqualTo(in(partition, expected));
    }
  }

  private static List<Acknowledged> in(int partition, List<Acknowledged> all) {
    return all.stream().filter(it -> it.partition == partition).toList();
  }

  @Test
  void theAppenderKnowsThePositionOfItsLastMessageOrThatItComesLater() {
    openQueue(2);
    try (Appender appender = queue.appender()) {
      assertThat(appender.position()).isEqualTo(Appender.UNKNOWN_POSITION);
      List<Long> positions = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        appender.append(1, bytes("message " + i));
        positions.add(appender.position());
      }
      settle(appender);
      assertThat(positions)
          .satisfiesAnyOf(
              all -> assertThat(all).isEqualTo(positions(1, 10)),
              all -> assertThat(Set.copyOf(all)).isEqualTo(Set.of(Appender.UNKNOWN_POSITION)));
    }
  }

  @Test
  void aListenerThatFailsDoesNotFailTheAppend() {
    openQueue(1);
    try (Appender appender = queue.appender()) {
      appender.onAcknowledged((partition, ticket, position) -> {
        throw new IllegalStateException("thrown by the test's listener");
      });
      appender.append(0, bytes("one"));
      appender.append(0, bytes("two"));
      settle(appender);
      assertThat(appender.isAcknowledged(2)).isTrue();
    }
    assertThat(positions(0, 2)).hasSize(2);
  }
}
