/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.ring;

import io.forebay.chronicle.file.StoredFrame;
import io.forebay.machine.CrashPoint;
import io.forebay.queue.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to the file of a partition what a process that died left in its ring. The numbers of the
 * messages make this exact: those before the end of the file are in it, the others follow without a
 * hole.
 *
 * <p>A ring that does not fit is damage, and stays where it is: acknowledged messages may be
 * missing. It is no damage, but a warning, if nothing acknowledged can be missing: the host was
 * restarted meanwhile, or messages were acknowledged at level DISK, from the files. Nor is it if an
 * operator had the damage set aside. Then a ring that cannot be used is kept under another name.
 */
public final class RingRecovery {

  /** Where the messages go. */
  public interface Sink {

    /** Writes a message; throws if it was not written. */
    void write(StoredFrame frame);

    /** Writes a gap from the end up to a message. */
    void resume(long end, long number);
  }

  /**
   * What was found.
   *
   * @param end the number of the next message
   * @param damage what is wrong with the ring, or null
   */
  public record Outcome(long end, @Nullable String damage) {}

  private static final Logger LOG = LoggerFactory.getLogger(RingRecovery.class);

  private final PartitionRing.Owner owner;
  private final boolean setAside;

  /**
   * @param setAside whether an operator had damage set aside in this start
   */
  public RingRecovery(PartitionRing.Owner owner, boolean setAside) {
    this.owner = owner;
    this.setAside = setAside;
  }

  /**
   * Empties the ring and deletes it, if there is one.
   *
   * @param end the end of the file
   */
  public Outcome recover(long end, Sink sink) throws IOException {
    RingNote note = RingNote.read(owner.directory());
    if (note == null) {
      return new Outcome(end, null);
    }
    boolean restarted = !note.boot().isEmpty() && !note.boot().equals(owner.boot());
    boolean harmless = setAside || restarted || note.level() == Level.DISK;
    Outcome outcome;
    if (Files.exists(note.ring())) {
      outcome = drain(note.ring(), end, harmless, sink);
    } else {
      outcome =
          new Outcome(end, "no ring %s, which may have had more messages".formatted(note.ring()));
    }
    String damage = outcome.damage();
    if (damage != null) {
      if (!harmless) {
        return outcome;
      }
      keepAside(note.ring());
      LOG.warn(
          "{}: from message {} on there is {}; messages that were only in the ring are missing{}",
          owner.name(),
          outcome.end(),
          damage,
          restarted ? ", because the host was restarted" : "");
    }
    CrashPoint.hit("ring-recovered");
    RingNote.delete(owner.directory());
    Files.deleteIfExists(note.ring());
    return new Outcome(outcome.end(), null);
  }

  private Outcome drain(Path path, long end, boolean harmless, Sink sink) throws IOException {
    try (PartitionRing opened = PartitionRing.open(owner, path)) {
      return drain(opened.ring(), path, end, harmless, sink);
    } catch (PartitionRing.Misfit e) {
      return new Outcome(end, e.getMessage());
    }
  }

  private Outcome drain(Ring ring, Path path, long end, boolean harmless, Sink sink) {
    StoredFrame frame = new StoredFrame();
    long next = end;
    while (ring.used() > 0) {
      if (!ring.peek(frame)) {
        return new Outcome(next, "a damaged frame in the ring " + path);
      }
      long number = frame.number();
      if (number > next) {
        if (!harmless) {
          return new Outcome(
              next, "a hole: the ring %s continues with message %,d".formatted(path, number));
        }
        LOG.warn("{}: messages {} to {} are missing", owner.name(), next, number - 1);
        sink.resume(next, number);
        next = number;
      }
      if (number == next) {
        sink.write(frame);
        next++;
      }
      ring.release();
    }
    if (next > end) {
      LOG.info("{}: wrote {} messages from its ring to the file", owner.name(), next - end);
    }
    return new Outcome(next, null);
  }

  private void keepAside(Path ring) throws IOException {
    if (Files.exists(ring)) {
      Path aside = ring.resolveSibling(ring.getFileName() + ".set-aside");
      Files.move(ring, aside, StandardCopyOption.REPLACE_EXISTING);
      LOG.warn("{}: the ring was kept as {}", owner.name(), aside);
    }
  }
}
