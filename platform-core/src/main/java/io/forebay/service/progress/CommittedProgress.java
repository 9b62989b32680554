/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import io.forebay.queue.GroupOffset;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The progress of one partition of a shared queue whose component stores none: the offset that is
 * committed in one transaction with the answers. Its metadata name the queue and the last performed
 * message, so that a queue that lost its tail or was made again, and an offset that another program
 * has set, are noticed. Not thread-safe.
 */
public final class CommittedProgress implements PartitionProgress {

  /** The identity of the queue, and perhaps position and checksum of the last message. */
  private static final Pattern METADATA = Pattern.compile("forebay (\\S+)(?: (\\d+) (-?\\d+))?");

  private final Adoption adoption;
  private final MessageQueue in;
  private final MessageQueue out;
  private final Checksum checksum = new Checksum();

  /** The last message that was performed, or is being performed, and the one before it. */
  private Resumable.@Nullable LastPerformed last;

  private Resumable.@Nullable LastPerformed before;

  public CommittedProgress(Adoption adoption, MessageQueue out) {
    this.adoption = adoption;
    this.in = adoption.in;
    this.out = out;
  }

  @Override
  public boolean isCommittedWithAnswers() {
    return true;
  }

  /**
   * Where to resume.
   *
   * @throws Unavailable if that cannot be read now
   * @throws Disagreement if messages may be left in another queue, or the progress of the service
   *     is unknown
   */
  @Override
  public Resumable.Progress resume(Comparison comparison) {
    adoption.find();
    before = null;
    last = null;
    Optional<GroupOffset> offset = in.offset(adoption.service, adoption.partition);
    Matcher metadata = METADATA.matcher(offset.map(GroupOffset::metadata).orElse(""));
    if (!metadata.matches()) {
      mustBeNew(offset, comparison.tailer());
      long next = offset.map(GroupOffset::position).orElseGet(comparison.tailer()::position);
      return new Resumable.Progress(next, next);
    }
    if (!metadata.group(1).equals(in.identity())) {
      throw new Disagreement(
          "%s: %s was made again since the service performed it up to %,d; see docs/operations.md, \"A queue was lost\""
              .formatted(comparison.place(), in, offset.orElseThrow().position()));
    }
    long next = offset.orElseThrow().position();
    if (metadata.group(2) == null) {
      return new Resumable.Progress(next, next);
    }
    last =
        new Resumable.LastPerformed(
            Long.parseLong(metadata.group(2)), Long.parseLong(metadata.group(3)));
    return new Resumable.Progress(next, next, last);
  }

  /**
   * Throws if the service has answered before: to begin at an offset that is not its own could skip
   * messages or perform them again. Without an offset it may begin where no message is left, if the
   * queue is the one whose messages it has answered.
   */
  private void mustBeNew(Optional<GroupOffset> offset, Tailer messages) {
    OptionalLong answered = LastMessage.source(out, adoption.partition);
    long first = messages.position();
    long end = messages.end();
    boolean isEmptied = first == end && answered.orElse(0) < end;
    if ((answered.isEmpty() && !haveAnswersGone()) || (offset.isEmpty() && isEmptied)) {
      return;
    }
    throw new Disagreement(
        String.format(
            Locale.ROOT,
            "the progress of partition %d of service %s on queue %s is unknown"
                + " (first=%,d, end=%,d): the service has answered, but %s; nothing is performed"
                + " until an operator acts, see docs/operations.md, \"A position is missing\"",
            adoption.partition,
            adoption.service,
            in.identity(),
            first,
            end,
            offset
                .map(it ->
                    "another program has set the offset of its consumer group to %,d"
                        .formatted(it.position()))
                .orElse("its consumer group has no offset")));
  }

  private boolean haveAnswersGone() {
    try (Tailer answers = out.tailer(adoption.partition)) {
      return answers.position() > 0;
    }
  }

  @Override
  public void agreed(long next) {
    adoption.adopt(next);
  }

  @Override
  public void performs(long position, ByteBuffer message) {
    if (last == null || position != last.position()) { // a call may be performed again
      before = last;
    }
    last = new Resumable.LastPerformed(position, checksum.of(message));
  }

  @Override
  public GroupOffset offset(long next) {
    Resumable.LastPerformed performed = last == null || last.position() < next ? last : before;
    String queue = "forebay " + in.identity();
    return new GroupOffset(
        next,
        performed == null
            ? queue
            : "%s %d %d".formatted(queue, performed.position(), performed.checksum()));
  }

  /** The offset is committed with the answers. */
  @Override
  public void idle(long position) {}

  @Override
  public void drained(long position) {
    adoption.keep(position, true);
  }
}
