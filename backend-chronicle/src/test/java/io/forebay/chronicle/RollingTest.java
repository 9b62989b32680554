/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.assertReads;
import static io.forebay.chronicle.Rig.bytes;
import static io.forebay.chronicle.Rig.range;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files follow time, and time follows the wall clock within limits. */
final class RollingTest {

  private static final Duration ROLL = Duration.ofSeconds(1);

  @TempDir Path data;
  private Rig rig;

  @BeforeEach
  void rig() {
    rig = new Rig(data);
  }

  @Test
  void positionsContinueAcrossFilesAndRestarts() {
    for (int round = 0; round < 3; round++) {
      long from = round * 500L;
      try (ChronicleBackend backend = rig.open();
          MessageQueue queue = backend.open(QUEUE, 1);
          Tailer following = queue.tailer(0)) {
        following.toEnd();
        List<Long> followed = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
          send(queue, from + i * 50, from + i * 50 + 50);
          following.poll(30, (position, message) -> followed.add(position));
          rig.pass(backend, ROLL.multipliedBy(1 + i % 3));
        }
        while (following.poll(30, (position, message) -> followed.add(position)) > 0) {}
        assertThat(followed).isEqualTo(range(from, from + 500));
        assertReads(queue, 0, from + 500);
        assertSeeks(queue, from + 500);
      }
    }
    assertThat(rig.files()).hasSize(30);
  }

  private static void assertSeeks(MessageQueue queue, long end) {
    Random random = new Random(end);
    try (Tailer tailer = queue.tailer(0)) {
      for (int i = 0; i < 300; i++) {
        long to = random.nextLong(end);
        tailer.seek(to);
        assertThat(tailer.position()).isEqualTo(to);
        assertThat(tailer.poll(1, (position, message) -> assertThat(position).isEqualTo(to)))
            .isOne();
      }
    }
  }

  @Test
  void lookUpWorksWithGapsAndCutsInManyFiles() {
    Random random = new Random(5);
    List<Long> sent = new ArrayList<>();
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1);
        Appender appender = queue.appender()) {
      long end = 0;
      for (int i = 0; i < 400; i++) {
        int dice = random.nextInt(10);
        if (dice == 0) {
          end += random.nextInt(1_000);
          queue.skipTo(0, end);
        } else if (dice == 1) {
          rig.pass(backend, ROLL);
        } else {
          for (int n = random.nextInt(20); n >= 0; n--) {
            appender.append(0, bytes("message " + end));
            sent.add(end++);
          }
        }
      }
      assertThat(Rig.readAll(queue).positions()).isEqualTo(sent);
      try (Tailer tailer = queue.tailer(0)) {
        for (int i = 0; i < 500; i++) {
          long to = random.nextLong(sent.getLast() + 1);
          long expected = sent.stream().filter(one -> one >= to).findFirst().orElseThrow();
          tailer.seek(to);
          assertThat(tailer.poll(1, (at, message) -> assertThat(at).isEqualTo(expected))).isOne();
        }
      }
    }
  }

  @Test
  void aClockThatIsSetBackDoesNotStopAppends() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, 100);
      rig.setClock(backend, Duration.ofDays(-1));
      send(queue, 100, 200);
      rig.pass(backend, ROLL);
      send(queue, 200, 300);
      assertReads(queue, 0, 300);
    }
    assertThat(rig.files()).hasSize(2);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 300, 400);
      rig.pass(backend, ROLL);
      send(queue, 400, 500);
      assertReads(queue, 0, 500);
    }
    assertThat(rig.files()).hasSize(3);
  }

  @Test
  void aClockThatJumpsFarAheadMovesNoMessageToAFutureFile() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, 100);
      rig.setClock(backend, Duration.ofDays(400));
      send(queue, 100, 103);
      rig.pass(backend, ROLL);
      send(queue, 103, 200);
      rig.setClock(backend, Duration.ofDays(-400));
      send(queue, 200, 300);
      rig.pass(backend, ROLL);
      send(queue, 300, 400);
      assertReads(queue, 0, 400);
    }
    assertThat(rig.files()).hasSize(3);
    assertThat(rig.files()).allSatisfy(file -> assertThat(file.toString()).contains("20260301"));
  }

  @Test
  void aClockThatWasAheadAtTheStartIsFollowed() {
    rig.wall = rig.wall.plus(Duration.ofDays(400));
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, 100);
    }
    rig.wall = rig.wall.minus(Duration.ofDays(400));
    for (int i = 1; i < 3; i++) {
      try (ChronicleBackend backend = rig.open();
          MessageQueue queue = backend.open(QUEUE, 1)) {
        send(queue, i * 100L, i * 100L + 50);
        rig.pass(backend, ROLL);
        send(queue, i * 100L + 50, i * 100L + 100);
        assertReads(queue, 0, i * 100L + 100);
      }
    }
  }

  @Test
  void aSmallStepOfTheClockIsFollowed() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, 10);
      rig.setClock(backend, Duration.ofMinutes(50));
      send(queue, 10, 20);
      rig.setClock(backend, Duration.ofMinutes(-50));
      send(queue, 20, 30);
      assertReads(queue, 0, 30);
    }
    assertThat(rig.files()).hasSize(2);
  }

  @Test
  void aFinishedFileIsMarkedGoodAndNotReadAgainAtAStart() {
    try (ChronicleBackend backend = rig.open()) {
      MessageQueue queue = backend.open(QUEUE, 1);
      send(queue, 0, 100);
      rig.pass(backend, ROLL);
      send(queue, 100, 150);
      org.awaitility.Awaitility.await()
          .untilAsserted(() -> {
            backend.tick(true);
            assertThat(rig.mark()).isEqualTo("100");
          });
      assertThat(queue.stats(0).acknowledged()).isEqualTo(OptionalLong.of(150));
    }
    assertThat(rig.mark()).isEqualTo("150");
  }
}
