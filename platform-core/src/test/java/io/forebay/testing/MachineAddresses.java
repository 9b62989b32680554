/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.testing;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The network addresses of this machine. A container engine changes them when a container starts or
 * ends, and each change makes Chromium end its requests, also those to loopback ({@code
 * net::ERR_NETWORK_CHANGED}). So tests with a browser and tests with containers, which Maven runs
 * at the same time in different processes, wait for each other.
 */
public final class MachineAddresses implements AutoCloseable {

  private final FileChannel file;

  private MachineAddresses(FileChannel file) {
    this.file = file;
  }

  /** Waits until no test changes the addresses; none will until this is closed. */
  public static MachineAddresses keep() {
    return lock(true);
  }

  /** Waits until no test needs unchanged addresses; none will until this is closed. */
  public static MachineAddresses change() {
    return lock(false);
  }

  private static MachineAddresses lock(boolean shared) {
    Path path =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "forebay-test-addresses-" + System.getProperty("user.name"));
    try {
      FileChannel file =
          FileChannel.open(
              path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      file.lock(0, Long.MAX_VALUE, shared); // ends with the process, too
      return new MachineAddresses(file);
    } catch (IOException e) {
      throw new IllegalStateException("the lock file %s cannot be used".formatted(path), e);
    }
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
