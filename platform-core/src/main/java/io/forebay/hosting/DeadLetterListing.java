/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.call.CallFailure;
import io.forebay.call.Message;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureId;
import io.forebay.service.errors.DeadLetter;
import io.forebay.service.errors.DeadLetterQueue;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The letters of a partition, without their messages, as the entries of its queue say. Each
 * instance that reads them in their order finds the same. For one thread at a time.
 */
final class DeadLetterListing implements DeadLetterQueue.Entries {

  /** The most letters that are listed, besides those that are set aside. */
  static final int MOST = 10_000;

  /**
   * A letter and what became of it.
   *
   * @param number in the order of arrival
   * @param newPosition the position of its last replay, or -1 if it is unknown
   * @param decisionId the id of the last decision in the queue; null if there is none
   */
  private record Listed(
      long number,
      DeadLetter letter,
      Failure failure,
      long newPosition,
      @Nullable UUID decisionId) {

    Listed with(Failure other, long newPosition, @Nullable UUID decisionId) {
      return new Listed(number, letter, other, newPosition, decisionId);
    }
  }

  private final String service;
  private final int partition;

  /** Letters that are not set aside; one that no longer is becomes the newest. */
  private final Map<String, Listed> letters =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Listed> eldest) {
          return size() > MOST;
        }
      };

  private final Map<String, Listed> setAside = new HashMap<>();
  private long arrived;

  /** The first entry of the queue that was read, and where reading ended. */
  final long first;

  long end;

  DeadLetterListing(String service, int partition, long first) {
    this.service = service;
    this.partition = partition;
    this.first = first;
  }

  /**
   * The letters, the oldest first.
   *
   * @param performed the first position that is not performed, or -1 if it is unknown
   */
  List<Failure> failures(long performed) {
    List<Listed> all =
        Stream.concat(letters.values().stream(), setAside.values().stream())
            .sorted(Comparator.comparingLong(Listed::number))
            .toList();
    Set<UUID> failed = new HashSet<>();
    all.forEach(listed -> failed.add(listed.failure().messageId()));
    Map<UUID, Integer> replays = new HashMap<>();
    return all.stream().map(listed -> view(listed, failed, replays, performed)).toList();
  }

  /** Adds the replays of the message that this one repeats, and the outcome of the last one. */
  private static Failure view(
      Listed listed, Set<UUID> failed, Map<UUID, Integer> replays, long performed) {
    Failure letter = listed.failure();
    UUID repeated = listed.letter().replayOf();
    int count = letter.replays() + (repeated == null ? 0 : replays.getOrDefault(repeated, 0));
    UUID first = repeated == null ? letter.messageId() : repeated;
    if (first != null) {
      replays.put(first, count);
    }
    Failure.Replay replay = letter.replay();
    if (replay == null) {
      return letter.withReplay(null, count);
    }
    Failure.Outcome outcome =
        failed.contains(replay.messageId())
            ? Failure.Outcome.FAILED
            : listed.newPosition() >= 0 && performed > listed.newPosition()
                ? Failure.Outcome.DONE
                : Failure.Outcome.PENDING;
    return letter.withReplay(
        new Failure.Replay(replay.messageId(), replay.by(), replay.at(), outcome), count);
  }

  /** The message of the exception, which may contain values of the call; null if not listed. */
  @Nullable String text(String id) {
    Listed listed = find(id);
    return listed == null ? null : listed.letter().text();
  }

  /** Whether the letter is listed with this decision, an id in the queue. */
  boolean has(UUID decision, String id) {
    Listed listed = find(id);
    return listed != null && decision.equals(listed.decisionId());
  }

  /** Whether the letter is listed, and its state allows the decision. */
  boolean allows(String id, Failure.State to) {
    Listed listed = find(id);
    return listed != null && listed.failure().state().allows(to);
  }

  private @Nullable Listed find(String id) {
    Listed listed = letters.get(id);
    return listed == null ? setAside.get(id) : listed;
  }

  private String id(String queueId, long position) {
    return new FailureId(service, partition, position, queueId).text();
  }

  private void put(Listed listed) {
    String id = listed.failure().id();
    boolean aside = listed.failure().state() == Failure.State.SET_ASIDE;
    (aside ? letters : setAside).remove(id);
    (aside ? setAside : letters).put(id, listed);
  }

  @Override
  public void letter(DeadLetter letter, byte[] message) {
    String id = id(letter.queueId(), letter.position());
    if (find(id) != null) {
      return; // a letter whose acceptance was not confirmed may be there twice
    }
    Failure failure =
        new Failure(
            id,
            service,
            partition,
            letter.position(),
            letter.messageId(),
            letter.error(),
            null,
            detail(letter),
            null,
            Message.traceId(message),
            letter.bytes(),
            Message.current().appendTime(),
            null,
            0,
            null);
    put(new Listed(arrived++, letter, failure, -1, null));
  }

  /** Without the message of the exception. */
  private static String detail(DeadLetter letter) {
    return switch (letter.error()) {
      case CallFailure.UNDECODABLE ->
          "the message could not be decoded (%s)".formatted(letter.text());
      case CallFailure.GIVEN_UP -> letter.text();
      default ->
          "the component threw %s (tries=%d); the values of the call have its message"
              .formatted(letter.error(), letter.tries());
    };
  }

  @Override
  public void replayed(String queueId, long position, UUID messageId, long newPosition, String by) {
    Listed listed = find(id(queueId, position));
    if (listed != null) {
      Instant at = Message.current().appendTime();
      Failure.Replay replay = new Failure.Replay(messageId, by, at, Failure.Outcome.PENDING);
      Failure failure = listed.failure();
      put(
          listed.with(
              failure.withReplay(replay, failure.replays() + 1), newPosition, listed.decisionId()));
    }
  }

  @Override
  public void decided(String queueId, long position, String state, String by, String reason) {
    Listed listed = find(id(queueId, position));
    Failure.State to = Failure.State.valueOf(state);
    if (listed == null || !listed.failure().state().allows(to)) {
      return; // another operator decided first
    }
    Message entry = Message.current();
    Failure.Decision decision =
        to == Failure.State.OPEN ? null : new Failure.Decision(to, by, entry.appendTime(), reason);
    put(listed.with(listed.failure().withDecision(decision), listed.newPosition(), entry.id()));
  }
}
