/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.queue.QueueFailed;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The files of a partition as found at opening. If a power failure may have left them unfinished,
 * they are already healed.
 *
 * @param tail their end; nothing may be appended there if it is damaged
 */
public record OpenedFiles(FrameStore store, LogEnd tail) {

  public static OpenedFiles open(String name, Path directory, QueueSettings settings, Mark mark)
      throws IOException {
    Healing healing = new Healing(name, directory, settings);
    String boot = settings.host().boot();
    boolean mayEndEarly = mark.mayEndEarly(boot);
    if (!mark.hostWasRestarted(boot)) {
      try {
        OpenedFiles found = asItIs(name, directory, settings, mark, null);
        if (!mayEndEarly || (found.tail.damage() == null && !found.tail.badLast())) {
          return found;
        }
        found.store.close();
      } catch (QueueFailed unusable) {
        if (!mayEndEarly) {
          throw unusable;
        }
      }
    }
    return asItIs(name, directory, settings, mark, healing.heal(mark));
  }

  /**
   * @param known the damage that is known already, or null
   */
  private static OpenedFiles asItIs(
      String name, Path directory, QueueSettings settings, Mark mark, @Nullable String known)
      throws IOException {
    FrameStore store = new FrameStore(name, directory, settings);
    try {
      LogEnd tail = store.examineFrom(mark.position());
      String damage = known;
      if (damage == null) {
        damage = tail.badLast() ? store.files().unknownLast() : tail.damage();
      }
      if (damage == null && tail.end() < mark.position()) {
        damage = "the end, but messages before %,d were stored safely".formatted(mark.position());
      }
      return new OpenedFiles(store, tail.withDamage(damage));
    } catch (Throwable e) {
      store.close();
      throw e;
    }
  }
}
