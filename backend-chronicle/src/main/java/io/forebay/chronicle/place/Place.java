/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.place;

import io.forebay.chronicle.file.QueueSettings;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where a queue is.
 *
 * @param directory its own directory
 * @param settings those of its files
 * @param lock if the lock on the data directory does not protect it
 */
public record Place(
    Path directory, QueueSettings settings, Volume volume, @Nullable InstanceLock lock)
    implements AutoCloseable {

  /** How long one file is written to. */
  public Duration rollCycle() {
    return ServiceFiles.length(settings.host().roll());
  }

  /** Another process may use it then. */
  @Override
  public void close() {
    if (lock != null) {
      lock.close();
    }
  }
}
