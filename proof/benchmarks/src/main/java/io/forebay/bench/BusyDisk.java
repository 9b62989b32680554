/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Keeps the disk busy with writing back, as another program on the host may do. */
final class BusyDisk implements AutoCloseable {

  private static final int CHUNK_BYTES = 8 << 20;
  private static final int CHUNKS = 64;

  private final Path file;
  private final Thread thread;
  private volatile boolean stopping;

  BusyDisk(Path file) {
    this.file = file;
    thread = Thread.ofPlatform().daemon().name("busy-disk").start(this::write);
  }

  private void write() {
    ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (long i = 0; !stopping; i++) {
        channel.write(chunk.clear(), i % CHUNKS * CHUNK_BYTES);
        channel.force(false);
      }
    } catch (IOException e) {
      System.err.println("the disk is no longer kept busy: " + e);
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    stopping = true;
    thread.join();
    Files.deleteIfExists(file);
  }
}
