/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import java.time.Instant;
import java.util.Set;

/**
 * A file of a queue on a volume.
 *
 * @param bytes the space it takes on disk
 * @param closed when it was closed or, for the current file, when it will be closed
 * @param neededBy services that have not performed all of it; empty if retention depends on time
 *     alone
 */
public record StoredFile(String name, long bytes, Instant closed, Set<String> neededBy) {

  public StoredFile {
    neededBy = Set.copyOf(neededBy);
  }
}
