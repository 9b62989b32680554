/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import io.forebay.operations.StartRefused;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Locks a directory against other processes, with a lock of the operating system: a suspended
 * process keeps the lock, a killed one loses it.
 */
final class DirectoryLock implements AutoCloseable {

  /**
   * The directories that this process has locked. The process must not open the lock file of such a
   * directory again: on POSIX, closing any descriptor of a file releases all locks of the process
   * on it.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final FileChannel channel;

  private DirectoryLock(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  /**
   * @param directory an existing directory
   * @throws StartRefused if a process, which the message names, holds the lock
   */
  static DirectoryLock take(Path directory) throws IOException {
    Path real = directory.toRealPath();
    if (!HELD.add(real)) {
      throw refusal(real, "this process, " + ProcessHandle.current().pid());
    }
    FileChannel channel = null;
    boolean taken = false;
    try {
      channel =
          FileChannel.open(
              real.resolve("lock"),
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw refusal(real, "process " + read(channel));
      }
      write(channel, Long.toString(ProcessHandle.current().pid()));
      taken = true;
      return new DirectoryLock(real, channel);
    } finally {
      if (!taken) {
        if (channel != null) {
          channel.close();
        }
        HELD.remove(real);
      }
    }
  }

  /** Releases the lock. */
  @Override
  public void close() throws IOException {
    if (channel.isOpen()) {
      channel.close();
      HELD.remove(directory);
    }
  }

  private static StartRefused refusal(Path directory, String holder) {
    return new StartRefused(
        "The database in "
            + directory
            + " is open already (by "
            + holder
            + "); stop that process first, or use another directory");
  }

  private static String read(FileChannel channel) throws IOException {
    ByteBuffer pid = ByteBuffer.allocate(20);
    channel.read(pid, 0);
    return StandardCharsets.US_ASCII.decode(pid.flip()).toString();
  }

  private static void write(FileChannel channel, String pid) throws IOException {
    channel.truncate(0);
    channel.write(StandardCharsets.US_ASCII.encode(pid), 0);
  }
}
