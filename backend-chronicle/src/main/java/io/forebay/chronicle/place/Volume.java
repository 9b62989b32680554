/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.place;

import io.forebay.chronicle.file.DiskSpace;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Path;

/**
 * A volume with queues.
 *
 * @param directory one that holds queues
 * @param probe measures its free space
 * @param space refuses messages while too little of it is free
 */
public record Volume(Path directory, FileStore store, DiskSpace.Probe probe, DiskSpace space) {

  /** The free space below which messages are refused. */
  public long reserveBytes() throws IOException {
    return space.reserveBytes(store.getTotalSpace());
  }
}
