/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.jdbc.Receipt;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The futures that wait for results, by the ids of their statements. A local queue knows the
 * position of a statement at once; a shared queue reports it with the acknowledgement. Futures
 * whose results were deleted before the client read them fail: results have the order of their
 * statements, so all before the first one still kept are missed. Thread-safe.
 */
final class Outstanding implements Appender.AcknowledgementListener {

  private final String queue;
  private final Map<UUID, List<Pending<?>>> byId = new HashMap<>();

  /** Those whose positions are not known yet, by their tickets. */
  private final TreeMap<Long, Pending<?>> unplaced = new TreeMap<>();

  private int size;

  /** For each partition, the position below which the client will read no more results. */
  private final long[] missedBefore;

  /** The partitions that restart at the first result kept. */
  private final boolean[] overtaken;

  Outstanding(MessageQueue out) {
    queue = out.name();
    missedBefore = new long[out.partitions()];
    overtaken = new boolean[out.partitions()];
  }

  synchronized int size() {
    return size;
  }

  /** Adds the future of a statement that is about to be appended. */
  synchronized void add(Pending<?> pending) {
    byId.computeIfAbsent(pending.sent().id(), _ -> new ArrayList<>(1)).add(pending);
    unplaced.put(pending.sent().ticket(), pending);
    size++;
  }

  /** The result may have been missed. */
  private void place(Pending<?> pending, long position) {
    Receipt where = new Receipt(pending.sent().partition(), position, pending.sent().id());
    boolean missed;
    long first;
    synchronized (this) {
      pending.accepted(where);
      first = missedBefore[where.partition()];
      missed = position < first && forget(pending);
    }
    if (missed) {
      pending.completeExceptionally(new ResultMissed(queue, where, first));
    }
  }

  @Override
  public void acknowledged(int partition, long ticket, long position) {
    takeUnplaced(ticket, ticket).forEach(it -> place(it, position));
  }

  @Override
  public void failed(long first, long last, QueueFailed cause) {
    List<Pending<?>> failed = takeUnplaced(first, last);
    failed.forEach(this::forget);
    failed.forEach(it -> it.completeExceptionally(cause));
  }

  private synchronized List<Pending<?>> takeUnplaced(long first, long last) {
    Map<Long, Pending<?>> range = unplaced.subMap(first, true, last, true);
    List<Pending<?>> taken = List.copyOf(range.values());
    range.clear();
    return taken;
  }

  /**
   * Removes the future that waits for a result, if there is one.
   *
   * @throws NotPlacedYet if the position of a statement with that id in that partition is not known
   *     yet
   */
  synchronized @Nullable Pending<?> take(Receipt receipt) {
    List<Pending<?>> waiting = byId.getOrDefault(receipt.id(), List.of());
    for (Pending<?> pending : waiting) {
      if (pending.isAt(receipt)) {
        forget(pending);
        return pending;
      }
    }
    if (waiting.stream().anyMatch(it -> it.mayBeAt(receipt))) {
      throw NotPlacedYet.INSTANCE;
    }
    return null;
  }

  /**
   * @return whether it was waiting
   */
  synchronized boolean forget(Pending<?> pending) {
    List<Pending<?>> waiting = byId.get(pending.sent().id());
    if (waiting == null || !waiting.remove(pending)) {
      return false;
    }
    size--;
    unplaced.remove(pending.sent().ticket());
    if (waiting.isEmpty()) {
      byId.remove(pending.sent().id());
    }
    return true;
  }

  /** Results before the next one read were deleted. */
  synchronized void overtaken(int partition) {
    overtaken[partition] = true;
  }

  /**
   * @param source the position of the statement whose result was just read
   */
  void read(int partition, long source) {
    List<Pending<?>> missed;
    synchronized (this) {
      if (!overtaken[partition] || source < 0) {
        return;
      }
      overtaken[partition] = false;
      missedBefore[partition] = source;
      missed = all().stream().filter(it -> it.isBefore(partition, source)).toList();
      missed.forEach(this::forget);
    }
    missed.forEach(it -> it.completeExceptionally(new ResultMissed(queue, it.receipt(), source)));
  }

  private List<Pending<?>> all() {
    return byId.values().stream().<Pending<?>>flatMap(List::stream).toList();
  }

  void failAll(RuntimeException reason) {
    List<Pending<?>> failed;
    synchronized (this) {
      failed = all();
      byId.clear();
      unplaced.clear();
      size = 0;
    }
    failed.forEach(it -> it.completeExceptionally(reason));
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
