/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The process cannot start: a directory is in use or belongs to another user, the JVM lacks
 * options, or a migration fails. The message describes the problem and what to change.
 */
public final class StartRefused extends IllegalStateException {

  private static final long serialVersionUID = 1;

  public StartRefused(String message) {
    super(message);
  }

  public StartRefused(String message, Throwable cause) {
    super(message, cause);
  }

  /** The directory, or a file in it, cannot be used by the user of this process. */
  public static StartRefused of(Path directory, FileSystemException failure) {
    @Nullable String reason = failure.getReason();
    return new StartRefused(
        "The data directory %s cannot be used by user %s (%s: %s); give it to that user with mode 0700, or name another with forebay.data"
            .formatted(
                directory,
                System.getProperty("user.name"),
                failure.getFile(),
                reason == null ? failure.getClass().getSimpleName() : reason),
        failure);
  }
}
