/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueStats;
import io.forebay.queue.Tailer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares a partition's progress, its in-queue and its out-queue at the start. Nothing is
 * performed before they agree.
 *
 * @param place the partition, for messages
 * @param consumer the service, as the in-queue knows it
 * @param tailer of the in-queue, which may be moved
 * @param lastAnswered the position that the last frame of the out-queue answers
 */
public record Comparison(
    String place,
    MessageQueue in,
    String consumer,
    String outName,
    Tailer tailer,
    OptionalLong lastAnswered) {

  private static final Logger log = LoggerFactory.getLogger(Comparison.class);

  /**
   * The position up to which, according to the in-queue, messages are performed and safely
   * answered; 0 if it has none, or if others can change it.
   */
  public long passed() {
    return in.shared() ? 0 : in.stats(tailer.partition()).passed().getOrDefault(consumer, 0L);
  }

  /**
   * The progress of a component that stores none: a message counts as performed when it is
   * answered.
   *
   * @param known a position up to which all messages were performed and answered; perhaps more were
   */
  Resumable.Progress progressOfAnswers(long known) {
    tailer.toStart();
    long next = tailer.position();
    if (lastAnswered.isPresent() && lastAnswered.getAsLong() >= tailer.end()) {
      next = lastAnswered.getAsLong() + 1; // the queue lost performed messages
    } else if (lastAnswered.isPresent() && lastAnswered.getAsLong() >= next) {
      next = behind(lastAnswered.getAsLong());
    }
    next = Math.max(next, known);
    return new Resumable.Progress(next, next);
  }

  /** The position behind a message, also if that was set aside. */
  private long behind(long answered) {
    long[] found = {-1};
    tailer.seek(answered);
    tailer.pollBefore(answered + 1, LastMessage.PATIENCE, (position, _) -> found[0] = position);
    return found[0] == answered ? tailer.position() : answered + 1;
  }

  /**
   * Makes the in-queue continue behind the performed messages, if it allows that, and moves the
   * tailer to where reading begins.
   *
   * @param first the first position that the in-queue still has
   * @throws Disagreement if the database was restored to an older state
   * @throws QueueFailed if the queue lost messages that it had acknowledged as safe, or its
   *     messages differ from those performed
   */
  public void mustAgree(Resumable.Progress progress, long first) {
    databaseMustNotHaveGoneBack(progress.next(), first);
    if (progress.readFrom() < first) {
      throw new QueueFailed(
          ("%s begins at %,d, but the next position to read is %,d: the messages"
                  + " between were deleted, for example by retention, before they were"
                  + " performed and answered; nothing is performed until an operator acts, see"
                  + " docs/operations.md, \"A queue was lost\"")
              .formatted(place, first, progress.readFrom()),
          null);
    }
    queueMustNotHaveGoneBack(progress.next(), first);
    boolean isBehindLast = mustBeWhatWasPerformed(progress, first);
    if (!isBehindLast || progress.readFrom() != progress.next()) {
      tailer.seek(progress.readFrom());
    }
  }

  private void databaseMustNotHaveGoneBack(long next, long first) {
    long passed = passed();
    boolean answered = lastAnswered.isPresent() && lastAnswered.getAsLong() >= next;
    boolean isGap = !answered && passed > next && next >= first && !isMessageBetween(next, passed);
    if (isGap) {
      log.warn(
          "{}: no message from {} to {} is there; they were set aside, and are passed",
          place,
          next,
          passed - 1);
    } else if (answered || passed > next) {
      String evidence =
          answered
              ? "queue %s has a result for position %,d"
                  .formatted(outName, lastAnswered.getAsLong())
              : "queue %s records everything before position %,d as performed"
                  .formatted(in.name(), passed);
      throw new Disagreement(
          ("%s: the database returned to an older state (it performed up to %,d, but %s), as after a"
                  + " restore or a failover to a lagging standby; nothing is accepted or"
                  + " performed until an operator decides, see docs/operations.md, \"The"
                  + " database returned to an older state\"")
              .formatted(place, next, evidence));
    }
  }

  /** Messages that were set aside leave a gap, which is passed without being performed. */
  private boolean isMessageBetween(long from, long to) {
    boolean[] found = new boolean[1];
    tailer.seek(from);
    tailer.pollBefore(to, LastMessage.PATIENCE, (position, _) -> found[0] = position < to);
    return found[0];
  }

  /**
   * Throws if the queue is older than the progress. Then messages accepted before this comparison
   * may reuse positions of performed ones, and were not performed themselves.
   *
   * @param first the first position that it still has; a service that is new to a queue begins
   *     there, although the queue was never compared
   */
  private void queueMustNotHaveGoneBack(long next, long first) {
    long end = tailer.end();
    long from = Math.max(first, in.uncompared(tailer.partition()).orElse(end));
    if (from >= next) {
      return;
    }
    QueueStats.Damage damage = in.stats(tailer.partition()).damage();
    if (damage != null) {
      throw new QueueFailed(
          "%s: the queue is damaged: at message %,d there is %s; the database performed messages before %,d; nothing is accepted or performed until an operator sets the damage aside, see docs/operations.md, \"A queue is damaged\""
              .formatted(place, damage.position(), damage.what(), next),
          null);
    }
    boolean durable = in.capabilities().strongest().compareTo(Level.DISK) >= 0;
    boolean contiguous = in.capabilities().contiguous();
    if (durable || from < end || !contiguous) { // it assigns positions itself
      if (contiguous) {
        in.lost(tailer.partition(), from, next);
      }
      throw new QueueFailed(
          ("%s: the queue returned to an older state (it %s %,d, the database performed %,d): acknowledged messages are"
                  + " missing%s; nothing is accepted or performed until an operator restores the files of"
                  + " the queue or decides, see docs/operations.md, \"A queue returned to an older state\"")
              .formatted(
                  place,
                  from < end ? "ended at" : "ends at",
                  from,
                  next,
                  from < end
                      ? "; %,d messages accepted since then, from position %,d, are held back"
                          .formatted(end - from, from)
                      : ""),
          null);
    }
    log.warn(
        "Queue shorter than the progress: {} ends at {}, but messages up to {}"
            + " were performed (the host lost messages that were not yet on disk);"
            + " resuming at {}",
        place,
        end,
        next,
        next);
    in.skipTo(tailer.partition(), next);
  }

  /**
   * Throws if the last performed message differs from the one in the queue. One that was deleted or
   * set aside since cannot be compared.
   *
   * @return whether the tailer has just read that message. A tailer that stays behind a message
   *     notices if that is cut off; one that seeks does not
   */
  private boolean mustBeWhatWasPerformed(Resumable.Progress progress, long first) {
    Resumable.LastPerformed last = progress.last();
    if (last == null || last.position() < first || last.position() >= progress.next()) {
      return false;
    }
    tailer.seek(last.position());
    Resumable.@Nullable LastPerformed[] found = {null};
    tailer.pollBefore(
        progress.next(),
        LastMessage.PATIENCE,
        (position, message) ->
            found[0] = new Resumable.LastPerformed(position, new Checksum().of(message)));
    boolean lost = found[0] == null || found[0].position() >= progress.next();
    if (lost && in.capabilities().contiguous()) {
      return false; // a gap
    }
    if (lost || !last.equals(found[0])) {
      throw new QueueFailed(
          ("%s: the queue does not match the database: the message at position %,d %s"
                  + " that the database performed last; the files are from another time or"
                  + " belong to another database; nothing is accepted or performed until an"
                  + " operator restores them or decides, see docs/operations.md, \"A queue"
                  + " returned to an older state\"")
              .formatted(place, last.position(), lost ? "is missing, the one" : "is not the one"),
          null);
    }
    return true;
  }
}
