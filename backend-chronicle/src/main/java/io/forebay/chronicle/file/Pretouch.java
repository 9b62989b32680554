/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.machine.Machine;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import net.openhft.chronicle.bytes.MappedBytesStore;
import net.openhft.chronicle.core.io.ReferenceOwner;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of one queue that keeps the next pages of its files resident, so that the thread that
 * appends finds them. It uses the mappings of the appender, and maps the next part of a file before
 * the appender needs it. A few seconds before a file ends it creates the next one.
 *
 * <p>It changes no content, so it may race with appends. If the system does not support it, it logs
 * a warning and ends.
 */
public final class Pretouch implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger(Pretouch.class);

  /** How far ahead of the last message pages are resident, and the least that is worth a call. */
  private static final long AHEAD_BYTES = 2 << 20;

  private static final long STEP_BYTES = 64 << 10;
  private static final long NEXT_FILE_MILLIS = 5_000;
  private static final long BUSY_NANOS = 1_000_000;
  private static final long IDLE_NANOS = 10_000_000;

  private final String queue;
  private final List<Ahead> partitions;
  private final Thread thread;
  private volatile boolean stopping;

  public Pretouch(String queue, List<FrameStore> stores, CycleClock clock) {
    this.queue = queue;
    partitions = stores.stream().map(it -> it.ahead(clock)).toList();
    thread = Machine.thread("forebay-pretouch-" + queue).start(this);
  }

  @Override
  public void run() {
    long pause = BUSY_NANOS;
    try {
      while (!stopping) {
        boolean touched = false;
        for (Ahead partition : partitions) {
          touched |= partition.touch();
        }
        pause = touched ? BUSY_NANOS : Math.min(2 * pause, IDLE_NANOS);
        Machine.park(pause);
      }
    } catch (UnsupportedOperationException e) {
      LOG.warn(
          "queue {}: writing=pretouch has no effect: {}; Linux 5.14 or later supports it",
          queue,
          e.getMessage());
    } catch (IOException | RuntimeException | Error e) {
      LOG.warn("queue {}: pages are no longer prepared; appends work as with direct", queue, e);
    } finally {
      partitions.forEach(Ahead::close);
    }
  }

  /** Ends; the mappings of the queue are no longer used. */
  public void stop() {
    stopping = true;
    LockSupport.unpark(thread);
    Machine.awaitEnd(thread, Machine.FOREVER);
  }

  /** The pages ahead of the last message of one partition. For one thread. */
  static final class Ahead {

    private final SingleChronicleQueue queue;
    private final CycleFiles files;
    private final CycleClock clock;
    private final ReferenceOwner owner = ReferenceOwner.temporary("pretouch");
    private int cycle = CycleFiles.NO_CYCLE;
    private @Nullable SingleChronicleQueueStore store;
    private @Nullable MappedBytesStore chunk;

    /** Everything before this place in the file is resident. */
    private long touched;

    Ahead(SingleChronicleQueue queue, CycleFiles files, CycleClock clock) {
      this.queue = queue;
      this.files = files;
      this.clock = clock;
    }

    /** Returns whether there was something to do. */
    boolean touch() throws IOException {
      if (files.isEmpty()) {
        return false;
      }
      int newest = files.newest();
      if (newest > cycle) {
        open(newest, false);
      } else if (newest == cycle && files.endMillis(newest) - now() < NEXT_FILE_MILLIS) {
        open(newest + 1, true);
      }
      SingleChronicleQueueStore open = store;
      return open != null && touch(open);
    }

    private long now() {
      return clock.currentTimeMillis();
    }

    private void open(int wanted, boolean create) {
      close();
      store = queue.storeForCycle(wanted, queue.epoch(), create, null);
      cycle = wanted;
      touched = 0;
    }

    private boolean touch(SingleChronicleQueueStore open) throws IOException {
      long position = open.writePosition();
      long from = Math.max(touched, position & -Pages.BYTES);
      long to = (position + AHEAD_BYTES) & -Pages.BYTES;
      if (to - from < STEP_BYTES) {
        return false;
      }
      while (from < to) {
        MappedBytesStore mapped = chunk(open, from);
        long end = Math.min(to, mapped.safeLimit() & -Pages.BYTES);
        if (Pages.populate(mapped.addressForRead(from), end - from)) {
          from = end;
        } else {
          to = from;
        }
      }
      touched = from;
      return true;
    }

    /** The part of the file with this place, mapped as the appender maps it. */
    private MappedBytesStore chunk(SingleChronicleQueueStore open, long at) throws IOException {
      MappedBytesStore held = chunk;
      if (held != null && at >= held.start() && at < (held.safeLimit() & -Pages.BYTES)) {
        return held;
      }
      MappedBytesStore next = open.bytes().mappedFile().acquireByteStore(owner, at);
      if (held != null) {
        held.release(owner);
      }
      chunk = next;
      return next;
    }

    void close() {
      if (chunk != null) {
        chunk.release(owner);
        chunk = null;
      }
      if (store != null) {
        queue.closeStore(store);
        store = null;
      }
    }
  }
}
