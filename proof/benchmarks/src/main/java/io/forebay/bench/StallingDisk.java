/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file system of its own whose disk stalls: it is frozen for a while, again and again. As with a
 * disk that is busy with writing back, a thread that needs a new page of a file waits. Needs root
 * on Linux.
 */
final class StallingDisk implements AutoCloseable {

  private static final String IMAGE_BYTES = "4G";

  private final Path image;
  private final Path folder;

  private StallingDisk(Path image, Path folder) {
    this.image = image;
    this.folder = folder;
  }

  static StallingDisk mount(Path in) throws IOException, InterruptedException {
    Path image = in.resolve("disk.img");
    Path folder = Files.createDirectory(in.resolve("disk"));
    run("truncate", "-s", IMAGE_BYTES, image.toString());
    run("mkfs.ext4", "-q", "-F", image.toString());
    run("mount", "-o", "loop", image.toString(), folder.toString());
    return new StallingDisk(image, folder);
  }

  Path folder() {
    return folder;
  }

  /** Stalls for a time in each period, until it is closed. */
  final class Stalls implements AutoCloseable {

    private final long millis;
    private final long pauseMillis;
    private final Thread thread = Thread.ofPlatform().daemon().name("stalls").unstarted(this::run);
    private volatile boolean stopping;
    private volatile @Nullable Exception failure;

    Stalls(long millis, long periodMillis) {
      this.millis = millis;
      pauseMillis = periodMillis - millis;
      thread.start();
    }

    /** Never interrupted: the file system must not stay frozen. */
    private void run() {
      try {
        while (!stopping) {
          Thread.sleep(pauseMillis);
          StallingDisk.run("fsfreeze", "-f", folder.toString());
          Thread.sleep(millis);
          StallingDisk.run("fsfreeze", "-u", folder.toString());
        }
      } catch (IOException | InterruptedException e) {
        failure = e;
      }
    }

    /**
     * @throws IllegalStateException if it stalled no longer: then nothing was measured
     */
    @Override
    public void close() throws InterruptedException {
      stopping = true;
      thread.join();
      if (failure != null) {
        throw new IllegalStateException("the disk no longer stalled", failure);
      }
    }
  }

  private static void run(String... command) throws IOException, InterruptedException {
    int status = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (status != 0) {
      throw new IOException(List.of(command) + " ended with status " + status);
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    run("umount", "-l", folder.toString()); // Chronicle unmaps files in a thread of its own
    Files.delete(image);
    Files.delete(folder);
  }
}
