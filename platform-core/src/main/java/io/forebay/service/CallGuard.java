/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.call.CallFailure;
import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.Output;
import io.forebay.call.UndecodableMessage;
import io.forebay.machine.CrashPoint;
import io.forebay.machine.Machine;
import io.forebay.queue.Fenced;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.service.errors.BlockedMessages;
import io.forebay.service.errors.DeadLetter;
import io.forebay.service.errors.DeadLetterQueue;
import io.forebay.service.errors.ErrorPolicy;
import io.forebay.service.progress.Disagreement;
import io.forebay.service.progress.Unavailable;
import io.forebay.trace.TraceParent;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs and answers the messages of a partition one by one. If the component throws, it applies
 * the {@link ErrorPolicy}: the message is performed again, or is answered with a failure and,
 * unless the component declined it, becomes a dead letter. For the thread of the partition.
 */
final class CallGuard<I> {

  private static final Logger log = LoggerFactory.getLogger(CallGuard.class);

  /** A result that takes longer may never come, so an operator can fail the message. */
  private static final Duration LONG_WAIT = Duration.ofSeconds(5);

  /** Ends the wait for a result whose message an operator has failed. */
  private static final class FailedMeanwhile extends RuntimeException {
    private static final long serialVersionUID = 1;

    private FailedMeanwhile() {
      super(null, null, false, false);
    }
  }

  private final ServiceParts<I, ?> parts;
  private final DeadLetterQueue letters;
  private final int partition;
  private final CallReader<I> reader;
  private final Output<?> answers;
  private final Waits waits;
  private final ErrorPolicy policy;
  private final BlockedMessages blocked;

  /** Letters of messages that were not answered, by position: the process died in between. */
  private Map<Long, DeadLetter> unanswered = Map.of();

  /** How often the current message has failed. */
  private int failed;

  /** Whether the component was called with the current message. */
  private boolean tried;

  /** Whether operators see the current message as one that blocks the partition. */
  private boolean listed;

  /** The position of the current message. */
  private long current;

  /** Whether the current message waits for the result of the component, and since when. */
  private boolean waiting;

  private long waitingNanos;

  CallGuard(
      ServiceParts<I, ?> parts,
      DeadLetterQueue letters,
      int partition,
      CallReader<I> reader,
      Output<?> answers,
      Waits waits) {
    this.parts = parts;
    this.letters = letters;
    this.partition = partition;
    this.reader = reader;
    this.answers = answers;
    this.waits = waits;
    this.policy = parts.options().onError();
    this.blocked = parts.blocked();
  }

  /** Looks for letters of messages from this position on. */
  void open(long from) {
    blocked.free(partition);
    unanswered =
        waits.untilAvailable(() -> letters.from(partition, parts.in().queue().identity(), from));
  }

  /**
   * Performs a message and answers it.
   *
   * @return its envelope; null if it cannot be read, then it has no answer
   */
  @Nullable Message perform(long position, ByteBuffer message) {
    DeadLetter letter = unanswered.isEmpty() ? null : unanswered.remove(position);
    Message known = letter == null ? null : about(letter, position, message);
    if (letter != null && known != null) {
      answer(known, new CallFailure(letter.error(), letter.text()));
      return known;
    }
    failed = 0;
    tried = false;
    Waits.Pauses pauses = waits.new Pauses();
    Attempt done = waits.untilAvailable(() -> attempt(position, message, pauses), pauses);
    if (listed) {
      blocked.free(partition);
      listed = false;
    }
    // Not in the attempt: the component has succeeded, even if the out-queue refuses the answer.
    Message envelope = done.envelope();
    CallFailure failure = done.failure();
    if (envelope != null && failure == null) {
      waits.untilAvailable(() -> answers.empty(envelope));
    } else if (envelope != null && failure != null) {
      answer(envelope, failure);
    }
    return envelope;
  }

  /**
   * A message that is performed, declined or given up, and not answered yet.
   *
   * @param envelope null if it cannot be read
   * @param failure why it was declined or given up, or null
   */
  private record Attempt(@Nullable Message envelope, @Nullable CallFailure failure) {}

  /**
   * The envelope of the message if the letter is about it; null if not: files that were restored
   * may have another message at that position.
   */
  private @Nullable Message about(DeadLetter letter, long position, ByteBuffer message) {
    try {
      Message envelope = peek(position, message);
      return envelope.id().equals(letter.messageId()) ? envelope : null;
    } catch (UndecodableMessage e) {
      return null; // it becomes a letter again, which is listed once
    }
  }

  /**
   * What the span of a try shows as its error; null if the try was interrupted, so that the message
   * is performed again.
   */
  static @Nullable String error(Throwable thrown) {
    return switch (thrown) {
      case Waits.Stopped _, Fenced _ -> null;
      case FailedMeanwhile _ -> CallFailure.GIVEN_UP;
      default -> thrown.getClass().getName();
    };
  }

  private Attempt attempt(long position, ByteBuffer message, Waits.Pauses pauses) {
    String verdict = failed == 0 ? null : blocked.verdict(partition, position);
    if (verdict != null) {
      return giveUp(position, message, verdict);
    }
    boolean again = tried;
    tried = true;
    current = position;
    waiting = false;
    try {
      return new Attempt(reader.read(partition, position, message, again), null);
    } catch (FailedMeanwhile e) {
      withdraw();
      return giveUp(position, message, String.valueOf(blocked.verdict(partition, position)));
    } catch (UndecodableMessage e) {
      parts.log().deadLetter(e);
      return bury(
          position,
          message,
          e.envelope(),
          new CallFailure(CallFailure.UNDECODABLE, e.reason().name()));
    } catch (Waits.Stopped | Fenced | Disagreement e) {
      throw e;
    } catch (Unavailable e) {
      withdraw();
      throw e;
    } catch (QueueUnavailable e) {
      withdraw();
      throw new Unavailable(String.valueOf(e.getMessage()), e);
    } catch (QueueRefused e) {
      withdraw();
      if (!e.retryAfter().isZero()) {
        throw e;
      }
      return failed(position, message, e, pauses);
    } catch (Exception | LinkageError | StackOverflowError | AssertionError e) {
      if (policy.isDeclining(e)) {
        answers.discard();
        parts.counts().declined().increment();
        return new Attempt(peek(position, message), CallFailure.declined(e));
      }
      withdraw();
      return failed(position, message, e, pauses);
    }
  }

  /**
   * Lets an operator fail the current message if its result does not come.
   *
   * @return why the partition waits; null if it does not wait for long yet
   */
  @Nullable String awaitsResult() {
    long now = parts.time().nanos();
    if (!waiting) {
      waiting = true;
      waitingNanos = now;
    }
    if (now - waitingNanos < LONG_WAIT.toNanos()) {
      return null;
    }
    String what =
        "message at position %d waits for the result of the component for more than %d s"
            .formatted(current, LONG_WAIT.toSeconds());
    if (!listed) {
      log.warn("Call not complete: {}: {}", parts.place(partition), what);
      block(current, what);
    }
    if (blocked.verdict(partition, current) != null) {
      throw new FailedMeanwhile();
    }
    return what;
  }

  private void block(long position, String why) {
    blocked.block(partition, position, why, Machine.now());
    listed = true;
  }

  private Attempt giveUp(long position, ByteBuffer message, String verdict) {
    log.warn(
        "Dead letter: {}: an operator failed the message at position {}: {}",
        parts.place(partition),
        position,
        verdict);
    return bury(
        position,
        message,
        peek(position, message),
        new CallFailure(CallFailure.GIVEN_UP, "an operator failed it: " + verdict));
  }

  /**
   * Discards the answers to the current message, and makes those before it visible: the wait may be
   * long.
   */
  private void withdraw() {
    answers.discard();
    waits.mustGoOn();
    waits.untilAvailable(answers::publish);
  }

  private Attempt failed(long position, ByteBuffer message, Throwable thrown, Waits.Pauses pauses) {
    failed++;
    Message envelope = peek(position, message);
    boolean givenUp = policy.givesUp(thrown, failed);
    String what =
        "message at position %d failed (%s, %s%s)"
            .formatted(
                position,
                thrown.getClass().getName(),
                givenUp && failed == 1
                    ? "not retried"
                    : "try %d%s".formatted(failed, policy.limit()),
                TraceParent.note(envelope.trace()));
    String where = parts.place(partition) + ": " + what;
    if (!givenUp) {
      if (failed == 1 && policy.stops()) {
        log.error("Call failed: {}; it is retried until it succeeds", where, thrown);
      } else if (failed == 1) {
        parts.log().retried(where, thrown);
      }
      block(position, what);
      pauses.next(policy.pause(failed));
      throw new Waits.Retry(what, thrown, !policy.stops());
    }
    parts.log().deadLetter(where, thrown, policy.isFatal(thrown));
    return bury(position, message, envelope, CallFailure.of(thrown));
  }

  /** Stores the letter before the answer: see {@link DeadLetterQueue}. */
  private Attempt bury(
      long position, ByteBuffer message, @Nullable Message envelope, CallFailure failure) {
    DeadLetter letter =
        new DeadLetter(
            parts.in().queue().identity(),
            partition,
            position,
            envelope == null ? null : envelope.id(),
            failure.error(),
            failure.text(),
            failed,
            envelope == null ? null : envelope.replayOf(),
            message.remaining());
    waits.untilAvailable(() -> letters.store(letter, message));
    CrashPoint.hit("after-dead-letter");
    parts.counts().deadLetters().increment();
    return new Attempt(envelope, failure);
  }

  private void answer(Message envelope, CallFailure failure) {
    waits.untilAvailable(() -> answers.failed(envelope, failure));
  }

  private Message peek(long position, ByteBuffer message) {
    return reader.peek(partition, position, message);
  }
}
