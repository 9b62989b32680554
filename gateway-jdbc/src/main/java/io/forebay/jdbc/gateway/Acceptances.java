/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.jdbc.Receipt;
import io.forebay.queue.Appender;
import io.forebay.queue.QueueFailed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Statements whose positions are not known yet, by ticket. If a result is read before the position
 * of its statement is known, the reader of its partition retries it shortly afterwards. Thread-safe
 * by the lock of its client.
 */
final class Acceptances implements Appender.AcknowledgementListener {

  /** The statements of a partition with the same id. */
  private record Place(int partition, UUID id) {}

  private record Expected(Place place, ExpectedResult<?> answer) {}

  private final TreeMap<Long, Expected> expected = new TreeMap<>();
  private final Map<Place, Integer> places = new HashMap<>();
  private final Object lock;
  private final Outstanding outstanding;

  /**
   * @param outstanding gets each statement when its position is known, under the lock
   */
  Acceptances(Object lock, Outstanding outstanding) {
    this.lock = lock;
    this.outstanding = outstanding;
  }

  int size() {
    synchronized (lock) {
      return expected.size();
    }
  }

  /** The caller must hold the lock from before the append. */
  void expect(long ticket, int partition, UUID id, ExpectedResult<?> answer) {
    Place place = new Place(partition, id);
    expected.put(ticket, new Expected(place, answer));
    places.merge(place, 1, Integer::sum);
  }

  void forget(long ticket) {
    synchronized (lock) {
      remove(ticket);
    }
  }

  private @Nullable Expected remove(long ticket) {
    Expected removed = expected.remove(ticket);
    if (removed != null) {
      places.computeIfPresent(removed.place, (_, count) -> count == 1 ? null : count - 1);
    }
    return removed;
  }

  /**
   * Removes the future that waits for a result, if there is one.
   *
   * @throws NotPlacedYet if the position of a statement with that id in that partition is not known
   *     yet
   */
  @Nullable ExpectedResult<?> remove(Receipt receipt) {
    synchronized (lock) {
      if (places.containsKey(new Place(receipt.partition(), receipt.id()))) {
        throw NotPlacedYet.INSTANCE;
      }
    }
    return outstanding.remove(receipt);
  }

  @Override
  public void acknowledged(int partition, long ticket, long position) {
    synchronized (lock) {
      Expected accepted = remove(ticket);
      if (accepted != null) {
        outstanding.place(new Receipt(partition, position, accepted.place.id), accepted.answer);
      }
    }
  }

  @Override
  public void failed(long first, long last, QueueFailed cause) {
    List<ExpectedResult<?>> failed = new ArrayList<>();
    synchronized (lock) {
      for (long ticket : List.copyOf(expected.subMap(first, true, last, true).keySet())) {
        failed.add(Objects.requireNonNull(remove(ticket)).answer);
      }
    }
    failed.forEach(answer -> answer.pending().completeExceptionally(cause));
  }

  /** The caller must hold the lock. */
  void failAll(RuntimeException reason) {
    expected.values().forEach(it -> it.answer.pending().completeExceptionally(reason));
    expected.clear();
    places.clear();
  }

  /** Thrown by a reader's callback so that the result stays unread. */
  static final class NotPlacedYet extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final NotPlacedYet INSTANCE = new NotPlacedYet();

    private NotPlacedYet() {
      super(null, null, false, false);
    }
  }
}
