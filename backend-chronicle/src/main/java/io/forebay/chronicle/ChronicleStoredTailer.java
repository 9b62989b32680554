/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.FrameScan;
import io.forebay.chronicle.file.StoredFrame;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.Tailer;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the files of one partition while another process may append to them and delete them. The
 * name of a file sorts by the hour in which it was begun.
 */
final class ChronicleStoredTailer implements Tailer {

  private final String queue;
  private final int partition;
  private final Path directory;
  private @Nullable Path path;
  private @Nullable FrameScan file;
  private long position;
  private long toldEnd;

  ChronicleStoredTailer(String queue, int partition, Path directory) {
    this.queue = queue;
    this.partition = partition;
    this.directory = directory;
    toStart();
  }

  @Override
  public int partition() {
    return partition;
  }

  @Override
  public long position() {
    return position;
  }

  /** The files of the partition, oldest first. */
  List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    if (Files.exists(directory)) {
      try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "*.cq4")) {
        found.forEach(files::add);
      }
    }
    files.sort(null);
    return files;
  }

  @Override
  public long end() {
    try {
      for (Path newest : files().reversed()) {
        try (FrameScan frames = open(newest)) {
          if (frames != null) {
            frames.seek(Long.MAX_VALUE);
            if (frames.following() >= 0) {
              toldEnd = frames.following();
              return toldEnd;
            }
          }
        }
      }
      return 0;
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private long first() {
    try {
      for (Path oldest : files()) {
        try (FrameScan frames = open(oldest)) {
          if (frames != null && (frames.nextWritten() || frames.nextBehindHole())) {
            return frames.frame().number();
          }
        }
      }
      return 0;
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  @Override
  public void seek(long wanted) {
    long first = first();
    long end = end();
    if (wanted < first || wanted > end) {
      throw new PositionOutOfRange(queue, partition, wanted, first, end);
    }
    try {
      leave();
      for (Path candidate : files().reversed()) {
        if (begins(candidate, wanted)) {
          break;
        }
      }
      position = wanted;
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Opens a file at a message, if the file begins at it or before. */
  private boolean begins(Path candidate, long wanted) throws IOException {
    FrameScan frames = open(candidate);
    if (frames == null) {
      return false;
    }
    if ((frames.nextWritten() || frames.nextBehindHole()) && frames.frame().number() <= wanted) {
      frames.seek(wanted);
      path = candidate;
      file = frames;
      return true;
    }
    frames.close();
    return false;
  }

  @Override
  public void toStart() {
    leave();
    position = first();
  }

  @Override
  public void toEnd() {
    seek(end());
  }

  @Override
  public int poll(int max, MessageHandler handler) {
    int count = 0;
    try {
      while (count < max && next()) {
        FrameScan found = Objects.requireNonNull(file);
        StoredFrame frame = found.frame();
        if (frame.kind() == StoredFrame.MESSAGE && frame.number() >= position) {
          handle(found, handler);
          count++;
        }
        position = Math.max(position, found.following());
      }
      return count;
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private static void handle(FrameScan frames, MessageHandler handler) {
    try {
      handler.handle(frames.frame().number(), frames.frame().payload());
    } catch (Throwable e) {
      frames.unread();
      throw e;
    }
  }

  /** Moves to the next frame, in this file or in the next one that exists. */
  private boolean next() throws IOException {
    if (file != null && file.nextWritten()) {
      return true;
    }
    for (Path newer : files()) {
      if (path == null || newer.compareTo(path) > 0) {
        // No more is appended to this file; what was appended last may have come meanwhile.
        if (file != null && (file.nextWritten() || file.nextBehindHole())) {
          return true;
        }
        if (opens(newer) && file != null && file.nextWritten()) {
          return true;
        }
      }
    }
    // Of a service that is stopped, the last file may have a hole before its end.
    return file != null && position < toldEnd && file.nextBehindHole();
  }

  private boolean opens(Path newer) throws IOException {
    leave();
    path = newer;
    file = open(newer);
    return file != null;
  }

  /** Opens a file; returns null if retention has deleted it. */
  private static @Nullable FrameScan open(Path path) throws IOException {
    try {
      return new FrameScan(path);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private void leave() {
    if (file != null) {
      file.close();
    }
    file = null;
    path = null;
  }

  private QueueFailed unreadable(IOException e) {
    return new QueueFailed(
        "partition %d of queue %s in %s cannot be read (%s)"
            .formatted(partition, queue, directory, e),
        e);
  }

  @Override
  public void close() {
    leave();
  }
}
