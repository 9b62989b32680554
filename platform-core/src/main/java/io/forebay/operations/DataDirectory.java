/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.nio.file.Path;

/**
 * Where this process keeps its files: queues, the embedded database, caches. One process owns it.
 *
 * @param path absolute
 */
public record DataDirectory(Path path) {

  public DataDirectory {
    path = path.toAbsolutePath().normalize();
  }
}
