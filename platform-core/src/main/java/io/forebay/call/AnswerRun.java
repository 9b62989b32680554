/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static io.forebay.call.value.DecodeFailure.malformed;

import io.forebay.call.Headers.Header;
import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborInput;
import io.forebay.call.value.CborOutput;
import io.forebay.call.value.DecodeFailure;
import io.forebay.queue.MessageHandler;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that stands for equal answers to consecutive messages of one partition. It is a message
 * of version 2: as one of version 0, but in place of the id it has the ids of all messages that it
 * answers, and its {@code source} is the position of the first of them. The answers have no sender,
 * no key, no history and no trace.
 *
 * <p>Readers of calls do not know runs: pass them {@link #single} answers, or read through {@link
 * #singly}. For one thread; valid as long as the bytes that it was made of.
 */
public final class AnswerRun {

  /** Of a message that is a run. */
  static final int VERSION = 2;

  private static final int ID_BYTES = 16;

  /** The head of a byte string of 16, and of a number of 8 bytes. */
  private static final int HEAD = 1;

  private final byte[] bytes;
  private final int ids;
  private final int count;
  private final long source;

  /** A single answer of version 0, and where its id and its source are. */
  private final byte[] answer;

  private final int answerId;
  private final int answerSource;

  private AnswerRun(CborInput in) {
    bytes = in.bytes;
    int start = in.at;
    new Envelope(in).calls();
    int version = in.at;
    in.skip();
    in.head(Cbor.BYTES, "the ids");
    int length = in.checkedLength();
    count = length / ID_BYTES;
    ids = in.at;
    in.at += length;
    int time = in.at;
    in.skip();
    in.head(Cbor.MAP, "the headers");
    if (in.checkedCount(2) != 1) {
      throw malformed("a run has other headers than its source");
    }
    in.skip(); // the name
    int sourceStart = in.at;
    in.head(Cbor.UNSIGNED, "the header source");
    source = in.argument;
    int sourceEnd = in.at;
    int end = in.at + in.remaining();
    int head = version - start;
    answerId = head + 1 + HEAD;
    answerSource = answerId + ID_BYTES + (sourceStart - time) + HEAD;
    answer = new byte[answerSource + Long.BYTES + (end - sourceEnd)];
    System.arraycopy(bytes, start, answer, 0, head);
    answer[head] = Frame.VERSION;
    answer[head + 1] = Cbor.BYTES | ID_BYTES;
    System.arraycopy(bytes, time, answer, answerId + ID_BYTES, sourceStart - time);
    answer[answerSource - HEAD] = Cbor.UNSIGNED | 27;
    System.arraycopy(bytes, sourceEnd, answer, answerSource + Long.BYTES, end - sourceEnd);
  }

  /**
   * The run that a message is; null if it is another message.
   *
   * @param message its bytes, from the buffer's position to its limit; neither is moved
   * @throws UndecodableMessage if it is a run whose envelope cannot be read
   */
  public static @Nullable AnswerRun of(
      String queue, int partition, long position, ByteBuffer message) {
    if (!is(message) || Message.peek(queue, partition, position, message).sources() == 1) {
      return null;
    }
    CborInput in = new CborInput();
    in.reset(message);
    try {
      return new AnswerRun(in);
    } catch (DecodeFailure e) {
      throw new UndecodableMessage(e, queue, partition, position, null, null);
    }
  }

  /** Whether the version behind the head of the array is that of a run. */
  private static boolean is(ByteBuffer message) {
    int at = message.position();
    if (at >= message.limit()) {
      return false;
    }
    int info = message.get(at) & 31;
    int version = at + (info < 24 ? 1 : 1 + (1 << (info & 3)));
    return version < message.limit() && message.get(version) == VERSION;
  }

  /**
   * A handler that passes each answer of a run as a message of its own, with the position of the
   * run, and other messages unchanged. If the handler throws, the message counts as unread. When it
   * is read again next, the answers that were already handled are not passed again.
   *
   * @param queue its name, for errors
   */
  public static MessageHandler singly(String queue, int partition, MessageHandler each) {
    return new MessageHandler() {
      private long failedAt = -1;
      private int handled;

      @Override
      public void handle(long position, ByteBuffer message) {
        AnswerRun run = of(queue, partition, position, message);
        if (run == null) {
          each.handle(position, message);
          return;
        }
        handled = position == failedAt ? handled : 0;
        failedAt = position;
        for (; handled < run.count; handled++) {
          each.handle(position, run.single(handled));
        }
        failedAt = -1;
      }
    };
  }

  /** How many messages it answers. */
  public int count() {
    return count;
  }

  /** The id of one of the messages that it answers; the first one is 0. */
  public UUID id(int index) {
    int at = ids + index * ID_BYTES;
    return new UUID((long) Cbor.LONGS.get(bytes, at), (long) Cbor.LONGS.get(bytes, at + 8));
  }

  /**
   * The answer to one of the messages, as a message of version 0. The buffer is valid until the
   * next call.
   */
  public ByteBuffer single(int index) {
    System.arraycopy(bytes, ids + index * ID_BYTES, answer, answerId, ID_BYTES);
    Cbor.LONGS.set(answer, answerSource, source + index);
    return ByteBuffer.wrap(answer);
  }

  /**
   * Collects equal answers to consecutive messages, and writes them as one message. A single answer
   * becomes a message of version 0, as without it. Not thread-safe.
   */
  static final class Collector {

    /** With more, the length of the ids would need more than two bytes. */
    private static final int MOST = 4_095;

    /** Longer calls are copied less often if each is a message of its own. */
    private static final int MOST_CALL_BYTES = 1_024;

    /** Behind the longest heads: of the array, the version and the ids. */
    private static final int IDS = 5;

    /** What else is in a message: heads, time and source. */
    private static final int OTHER_BYTES = 64;

    private final int most;

    private final CborOutput out;
    private byte[] calls = new byte[0];
    private int callCount;
    private int count;
    private long first;

    Collector(String queue, int maxMessageBytes) {
      out = new CborOutput(queue, maxMessageBytes);
      most = Math.clamp((maxMessageBytes - MOST_CALL_BYTES - OTHER_BYTES) / ID_BYTES, 1, MOST);
    }

    /** Whether the answer to a message can be part of a run: all of it is in the calls. */
    static boolean takes(Message message, int callCount, int callBytes) {
      return Frame.hasShortHead(callCount)
          && callBytes <= MOST_CALL_BYTES
          && message.client() == null
          && message.key() == null
          && message.carried() == null
          && message.trace() == null;
    }

    boolean isEmpty() {
      return count == 0;
    }

    /** Whether the answer to this message, with these calls, is the next one of the run. */
    boolean continuesWith(Message message, byte[] bytes, int from, int to) {
      return count > 0
          && count < most
          && message.position() == first + count
          && Arrays.equals(bytes, from, to, calls, 0, calls.length);
    }

    /** Begins a run with these calls, which {@link #add} continues; the former one was written. */
    void begin(Message message, int callsOfEach, byte[] bytes, int from, int to) {
      first = message.position();
      callCount = callsOfEach;
      if (!Arrays.equals(bytes, from, to, calls, 0, calls.length)) {
        calls = Arrays.copyOfRange(bytes, from, to);
      }
    }

    void add(Message message) {
      out.at = IDS + count * ID_BYTES;
      out.id(message.idHigh(), message.idLow());
      count++;
    }

    /** The message, valid until the next call. The run remains until {@link #clear}. */
    ByteBuffer message(long micros) {
      int idBytes = count * ID_BYTES;
      out.at = IDS + idBytes;
      out.time(micros);
      out.head(Cbor.MAP, 1);
      Header.SOURCE.write(out);
      out.integer(first);
      out.raw(calls, 0, calls.length);
      byte[] bytes = out.bytes;
      int head = IDS - (count == 1 ? 1 : idBytes <= 0xff ? 2 : 3);
      switch (IDS - head) {
        case 1 -> bytes[head] = Cbor.BYTES | ID_BYTES;
        case 2 -> {
          bytes[head] = Cbor.BYTES | 24;
          bytes[head + 1] = (byte) idBytes;
        }
        default -> {
          bytes[head] = Cbor.BYTES | 25;
          Cbor.SHORTS.set(bytes, head + 1, (short) idBytes);
        }
      }
      bytes[head - 1] = (byte) (count == 1 ? Frame.VERSION : AnswerRun.VERSION);
      bytes[head - 2] = (byte) (Cbor.ARRAY | Frame.ENVELOPE_ITEMS + 2 * callCount);
      return out.view(head - 2);
    }

    void clear() {
      count = 0;
    }
  }
}
