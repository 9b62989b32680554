/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.errors;

import io.forebay.call.Message;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The letters of a partition, as the messages of its queue say. Each instance that reads them in
 * their order finds the same. For one thread at a time.
 */
final class DeadLetterListing implements DeadLetterQueue.Entries {

  /** The most refused decisions that are remembered until their callers have asked. */
  private static final int MOST_REFUSED = 1_000;

  /** The position of a letter's message in the in-queue. */
  private record Place(String queueId, long position) {}

  /** A letter with its number in the order of arrival. */
  private record Listed(long number, DeadLetter letter) {}

  private final int partition;
  private final @Nullable Place wanted;

  /** Letters that are not set aside; one that no longer is becomes the newest. */
  private final Map<Place, Listed> letters = newest(DeadLetterQueue.MOST);

  private final Map<Place, Listed> setAside = new HashMap<>();
  private final Map<UUID, Boolean> refused = newest(MOST_REFUSED);
  private long arrived;
  private byte @Nullable [] message;

  /** The first message of the queue that was read, and where reading ended. */
  long first;

  long end;

  DeadLetterListing(int partition) {
    this.partition = partition;
    this.wanted = null;
  }

  /** Also keeps the message of this letter. */
  DeadLetterListing(int partition, String queueId, long position) {
    this.partition = partition;
    this.wanted = new Place(queueId, position);
  }

  /** The message that was wanted: empty if it was too large, null if its letter was not read. */
  byte @Nullable [] message() {
    return message;
  }

  /** Whether this decision, an id in the queue, had no effect. */
  boolean hasRefused(UUID decision) {
    return refused.containsKey(decision);
  }

  private static <K, V> Map<K, V> newest(int most) {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
      }
    };
  }

  List<DeadLetter> letters() {
    Map<UUID, Integer> replays = new HashMap<>();
    return Stream.concat(letters.values().stream(), setAside.values().stream())
        .sorted(Comparator.comparingLong(Listed::number))
        .map(listed -> counted(listed.letter(), replays))
        .toList();
  }

  /** Adds the replays of the message that this one repeats. */
  private static DeadLetter counted(DeadLetter letter, Map<UUID, Integer> replays) {
    UUID repeated = letter.replayOf();
    UUID first = repeated == null ? letter.messageId() : repeated;
    int count = letter.replays() + (repeated == null ? 0 : replays.getOrDefault(repeated, 0));
    if (first != null) {
      replays.put(first, count);
    }
    return letter.withReplay(letter.replay(), count);
  }

  private @Nullable Listed find(Place place) {
    Listed listed = letters.get(place);
    return listed == null ? setAside.get(place) : listed;
  }

  private void put(Place place, Listed listed) {
    boolean aside = listed.letter().state() == DeadLetter.State.SET_ASIDE;
    (aside ? letters : setAside).remove(place);
    (aside ? setAside : letters).put(place, listed);
  }

  @Override
  public void letter(
      String queueId,
      long position,
      @Nullable UUID messageId,
      String error,
      String text,
      int tries,
      @Nullable UUID replayOf,
      long bytes,
      byte[] content) {
    Place place = new Place(queueId, position);
    if (place.equals(wanted)) {
      message = content;
    }
    if (find(place) != null) {
      return; // a letter whose acceptance was not confirmed may be there twice
    }
    put(
        place,
        new Listed(
            arrived++,
            new DeadLetter(
                queueId,
                partition,
                position,
                messageId,
                error,
                text,
                tries,
                replayOf,
                Message.current().appendTime(),
                bytes,
                null,
                0,
                null)));
  }

  @Override
  public void replayed(String queueId, long position, UUID messageId, long newPosition, String by) {
    Place place = new Place(queueId, position);
    Listed listed = find(place);
    if (listed != null) {
      Instant at = Message.current().appendTime();
      DeadLetter letter = listed.letter();
      DeadLetter.Replay replay = new DeadLetter.Replay(messageId, newPosition, by, at);
      put(place, new Listed(listed.number(), letter.withReplay(replay, letter.replays() + 1)));
    }
  }

  @Override
  public void decided(String queueId, long position, String state, String by, String reason) {
    Place place = new Place(queueId, position);
    Listed listed = find(place);
    DeadLetter.State to = DeadLetter.State.valueOf(state);
    if (listed == null || !listed.letter().state().allows(to)) {
      refused.put(Message.current().id(), true); // another operator decided first
      return;
    }
    Instant at = Message.current().appendTime();
    DeadLetter letter =
        listed
            .letter()
            .withDecision(
                to == DeadLetter.State.OPEN ? null : new DeadLetter.Decision(to, by, at, reason));
    put(place, new Listed(listed.number(), letter));
  }
}
