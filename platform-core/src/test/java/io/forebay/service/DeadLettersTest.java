/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.errors.DeadLetter;
import io.forebay.service.errors.DeadLetterQueue;
import io.forebay.service.progress.HostedProgress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Letters that were stored before their messages were answered. */
class DeadLettersTest {

  interface Items {
    void item(String name);
  }

  private static final Protocol<Items> ITEMS = Protocol.of(Items.class);

  private final MemoryBackend backend = MemoryBackend.open();
  private final MessageQueue in = backend.open("shop.in", 1);
  private final MessageQueue out = backend.open("shop.out", 1);
  private final DeadLetterQueue letters =
      DeadLetterQueue.open(backend, "shop", 1, Duration.ofDays(1));
  private final List<String> performed = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    backend.close();
  }

  private UUID send(String name) {
    try (Writer<Items> writer = ITEMS.writer(in)) {
      writer.calls().item(name);
      return writer.lastId();
    }
  }

  private Service<Items, Items> service() {
    return new Service<>(
        "shop",
        new Service.End<>(in, ITEMS),
        new Service.End<>(out, ITEMS),
        (_, _) -> performed::add,
        ServiceOptions.defaults(),
        HostedProgress.none(),
        letters);
  }

  private void store(UUID messageId, long position) {
    letters.store(
        new DeadLetter(
            in.identity(),
            0,
            position,
            messageId,
            "e",
            "t",
            1,
            null,
            Instant.now(),
            1,
            null,
            0,
            null),
        ByteBuffer.allocate(1));
  }

  @Test
  void aMessageWithALetterIsNotPerformedUnlessTheLetterIsAboutAnotherOne() {
    store(send("given up"), 0);
    send("another one");
    store(UUID.randomUUID(), 1);
    send("the next");
    try (Service<Items, Items> service = service()) {
      service.start();
      await().until(() -> service.position(0) == 3);
    }
    assertThat(performed).containsExactly("another one", "the next");
  }

  @Test
  void aCallIsPerformedOnceAlthoughTheOutQueueRefusesItsAnswer() {
    out.refuse(0, "broken for the test");
    send("performed");
    try (Service<Items, Items> service = service()) {
      service.start();
      await().until(() -> service.state().phase() == ServiceState.Phase.FAILED);
    }
    assertThat(performed).containsExactly("performed");
    assertThat(letters.list(0)).isEmpty();
  }

  @Test
  void aLetterThatWasStoredTwiceIsListedOnceAndItsReplaysAreCounted() {
    UUID message = UUID.randomUUID();
    store(message, 7);
    assertThat(letters.list(0)).hasSize(1);
    store(message, 7);
    letters.replayed(0, in.identity(), 7, UUID.randomUUID(), 9, "ada");
    letters.replayed(0, in.identity(), 7, UUID.randomUUID(), 11, "grace");

    assertThat(letters.list(0))
        .singleElement()
        .satisfies(letter -> {
          assertThat(letter.replays()).isEqualTo(2);
          assertThat(letter.replay().by()).isEqualTo("grace");
        });
    assertThat(letters.from(0, in.identity(), 8)).isEmpty();
    assertThat(letters.from(0, "another queue", 0)).isEmpty();
  }

  private DeadLetter.Decision decision() {
    return letters.from(0, in.identity(), 7).get(7L).decision();
  }

  /** As an instance does that has not read what others appended. */
  private boolean decide(DeadLetter.State to, String by) {
    return letters.decided(0, in.identity(), 7, to, by, "r");
  }

  @Test
  void aDecisionThatAnotherInstanceMadeImpossibleHasNoEffect() {
    store(UUID.randomUUID(), 7);
    assertThat(decide(DeadLetter.State.OPEN, "grace")).as("it is open").isFalse();
    assertThat(decide(DeadLetter.State.SET_ASIDE, "ada")).isTrue();
    assertThat(decide(DeadLetter.State.SET_ASIDE, "grace")).isFalse();
    assertThat(decision().by()).isEqualTo("ada");
    assertThat(decide(DeadLetter.State.DISCARDED, "ada")).isTrue();
    assertThat(decide(DeadLetter.State.OPEN, "grace")).isFalse();
    assertThat(decision().state()).isEqualTo(DeadLetter.State.DISCARDED);

    assertThat(letters.decided(0, in.identity(), 8, DeadLetter.State.DISCARDED, "ada", "r"))
        .as("there is no such letter")
        .isFalse();
    store(UUID.randomUUID(), 9);
    letters.replayed(0, in.identity(), 9, UUID.randomUUID(), 11, "grace");
    assertThat(letters.decided(0, in.identity(), 9, DeadLetter.State.DISCARDED, "ada", "r"))
        .isFalse();
  }

  @Test
  void aLetterThatIsSetAsideIsListedHoweverManyFollow() {
    store(UUID.randomUUID(), 7);
    store(UUID.randomUUID(), 8);
    decide(DeadLetter.State.SET_ASIDE, "ada");
    for (int i = 0; i < DeadLetterQueue.MOST; i++) {
      store(UUID.randomUUID(), 1_000 + i);
    }
    List<DeadLetter> listed = letters.list(0);
    assertThat(listed).hasSize(DeadLetterQueue.MOST + 1);
    assertThat(listed.get(0).position()).isEqualTo(7);
    assertThat(listed.get(1).position()).as("the oldest other one is not").isEqualTo(1_000);

    assertThat(decide(DeadLetter.State.OPEN, "ada")).isTrue();
    store(UUID.randomUUID(), 20_000);
    assertThat(letters.list(0).getFirst().position())
        .as("it does not disappear because it is reopened")
        .isEqualTo(7);
  }
}
