/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.nio.file.Path;

/**
 * The directory for the files of this process: queues, the embedded database, caches. Only one
 * process at a time may use it.
 *
 * @param path absolute
 */
public record DataDirectory(Path path) {

  public DataDirectory {
    path = path.toAbsolutePath().normalize();
  }
}
