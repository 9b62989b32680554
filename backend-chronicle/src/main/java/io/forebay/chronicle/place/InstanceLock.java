/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.place;

import io.forebay.chronicle.file.PrivateFiles;
import io.forebay.machine.Machine;
import io.forebay.operations.StartRefused;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The ownership of a data directory: an operating-system file lock. The kernel releases it when the
 * process dies and keeps it while the process is suspended.
 *
 * <p>On POSIX a process loses its lock when it closes any descriptor of the file. A second attempt
 * in the same process must therefore not open the file; a table of locked directories detects it.
 */
public final class InstanceLock implements AutoCloseable {

  public static final String FILE = "instance.lock";

  private static final Map<Path, String> HELD_HERE = new ConcurrentHashMap<>();
  private static final int HOLDER_BYTES = 512;

  private final Path directory;
  private final FileChannel channel;

  private InstanceLock(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  /**
   * Takes the ownership of a directory.
   *
   * @throws StartRefused if this or another process holds it
   */
  public static InstanceLock take(Path data) {
    try {
      Path directory = data.toRealPath();
      String self = describeSelf();
      String holder = HELD_HERE.putIfAbsent(directory, self);
      if (holder != null) {
        throw inUse(directory, holder);
      }
      try {
        return new InstanceLock(directory, tryLock(directory, self));
      } catch (Throwable e) {
        HELD_HERE.remove(directory);
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot lock the data directory " + data, e);
    }
  }

  private static FileChannel tryLock(Path directory, String self) throws IOException {
    Path file = directory.resolve(FILE);
    FileChannel channel =
        FileChannel.open(
            file,
            java.util.Set.of(
                StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
            PrivateFiles.file());
    try {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw inUse(directory, read(channel));
      }
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(self.getBytes(StandardCharsets.UTF_8)), 0);
      channel.force(true);
      return channel;
    } catch (Throwable e) {
      channel.close();
      throw e;
    }
  }

  private static String read(FileChannel channel) throws IOException {
    ByteBuffer text = ByteBuffer.allocate(HOLDER_BYTES);
    channel.read(text, 0);
    return new String(text.array(), 0, text.position(), StandardCharsets.UTF_8).strip();
  }

  private static StartRefused inUse(Path directory, String holder) {
    return new StartRefused(
        "the data directory %s is in use by %s; stop that process first, or give this one a directory of its own"
            .formatted(directory, holder.isEmpty() ? "another process" : holder));
  }

  private static String describeSelf() {
    ProcessHandle self = ProcessHandle.current();
    Instant started = self.info().startInstant().orElseGet(Machine::now);
    return "process %d on host %s, started %s"
        .formatted(self.pid(), hostName(), started.truncatedTo(ChronoUnit.SECONDS));
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot release the data directory " + directory, e);
    } finally {
      HELD_HERE.remove(directory);
    }
  }
}
