/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.queue.QueueFailed;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The files of a partition as found at opening. If a power failure may have left them unfinished,
 * they are already healed.
 *
 * @param damage why nothing may be appended, or null
 * @param lostBefore if this opening set aside what followed performed messages that are lost, the
 *     position behind these; otherwise 0
 */
public record Found(FrameStore store, Tail tail, @Nullable String damage, long lostBefore) {

  public static Found open(Partition partition, Mark mark) throws IOException {
    long lostBefore = new SettingAside(partition).finish(mark);
    Found found = find(partition, mark);
    return new Found(found.store, found.tail, found.damage, lostBefore);
  }

  private static Found find(Partition partition, Mark mark) throws IOException {
    FreshFiles.clear(partition.directory());
    String boot = partition.settings().host().boot();
    if (mark.hostWasRestarted(boot)) {
      return healed(partition, mark);
    }
    boolean mayEndEarly = mark.mayEndEarly(boot);
    try {
      Found found = asItIs(partition, mark);
      if (!mayEndEarly || (found.damage == null && !found.tail.badLast())) {
        return found;
      }
      found.store.close();
    } catch (QueueFailed unusable) {
      if (!mayEndEarly) {
        throw unusable;
      }
    }
    return healed(partition, mark);
  }

  private static Found healed(Partition partition, Mark mark) throws IOException {
    Healing.Outcome outcome = new Healing(partition).heal(mark.position());
    if (outcome.damage() == null) {
      mark.proven(outcome.end());
    }
    Found found = asItIs(partition, mark);
    return found.damage == null && outcome.damage() != null
        ? new Found(found.store, found.tail, outcome.damage(), 0)
        : found;
  }

  private static Found asItIs(Partition partition, Mark mark) throws IOException {
    FrameStore store = new FrameStore(partition);
    try {
      Tail tail = store.examineFrom(mark.position());
      String damage = tail.damage();
      if (damage == null && tail.end() < mark.position()) {
        damage = "the end, but messages before %,d were stored safely".formatted(mark.position());
      }
      return new Found(store, tail, damage, 0);
    } catch (Throwable e) {
      store.close();
      throw e;
    }
  }
}
