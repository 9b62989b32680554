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
 * @param due from when on it may be deleted
 * @param neededBy services that have not performed all of it; empty if retention depends on time
 *     alone
 * @param stays whether it is kept until newer files are begun, which needs messages
 */
public record StoredFile(long bytes, Instant due, Set<String> neededBy, boolean stays) {

  public StoredFile {
    neededBy = Set.copyOf(neededBy);
  }
}
