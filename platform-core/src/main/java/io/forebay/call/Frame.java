/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.call.Headers.Header;
import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborOutput;
import io.forebay.trace.TraceParent;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes the outer array of a message, {@code [version, id, time, headers, method, args, …]}. The
 * items before the headers have a fixed place and are filled in last, when the message is appended.
 * The space in front of them holds the longer head of an array with many calls.
 */
final class Frame {

  static final int VERSION = 0;

  /** How many items come before the calls. */
  static final int ENVELOPE_ITEMS = 4;

  private static final int BODY = 3;
  private static final int ID = BODY + 2;
  private static final int TIME = ID + 17;

  /** Where the headers are written. */
  static final int HEADERS = TIME + 8;

  /** What a trace takes: its name and value, each with its head. */
  private static final int TRACE_BYTES = 1 + TraceParent.NAME.length() + 2 + TraceParent.BYTES;

  private static final int MOST_CALLS = (Cbor.MAX_ITEMS - ENVELOPE_ITEMS) / 2;
  private static final int CALLS_IN_SHORT_HEAD = (23 - ENVELOPE_ITEMS) / 2;

  private Frame() {}

  /** Writes the parts that are the same in every message; done once per output. */
  static void prepare(CborOutput out) {
    byte[] bytes = out.bytes;
    bytes[BODY] = VERSION;
    bytes[ID - 1] = Cbor.BYTES | 16;
    bytes[TIME - 1] = Cbor.UNSIGNED | 27;
  }

  /** Writes the headers at their place; the calls follow. */
  static void headers(
      CborOutput out,
      @Nullable String client,
      @Nullable String key,
      @Nullable UUID replayOf,
      long deliverBy,
      @Nullable TraceParent trace) {
    begin(out);
    text(out, Header.CLIENT, client);
    text(out, Header.KEY, key);
    if (replayOf != null) {
      header(out, Header.REPLAY_OF);
      out.byteString(replayOf.getMostSignificantBits(), replayOf.getLeastSignificantBits());
    }
    if (deliverBy != Headers.NEVER) {
      header(out, Header.DELIVER_BY);
      out.integer(deliverBy);
    }
    trace(out, trace);
    if (out.bytes[HEADERS] == (byte) Cbor.MAP) {
      out.bytes[HEADERS] = (byte) Cbor.NULL;
    }
  }

  /** Begins a map, which {@link #header} extends. */
  private static void begin(CborOutput out) {
    out.at = HEADERS;
    out.head(Cbor.MAP, 0);
  }

  /** Writes the name of one more header; the value follows. */
  private static void header(CborOutput out, Header header) {
    header.write(out);
    out.bytes[HEADERS]++; // the head of a map of few headers is one byte
  }

  private static void text(CborOutput out, Header header, @Nullable String value) {
    if (value != null) {
      header(out, header);
      out.text(Cbor.TEXT, value);
    }
  }

  private static void trace(CborOutput out, @Nullable TraceParent trace) {
    if (trace != null) {
      header(out, Header.TRACE);
      out.byteString(trace.bytes());
    }
  }

  /**
   * Removes the trace, the last of the headers, if the message is too large only because of it.
   *
   * @param start where the message begins
   * @param end where the trace ends; 0 without one
   * @return how many bytes were removed
   */
  static int fit(CborOutput out, int start, int end) {
    if (end == 0 || out.hasRoom(start, 0) || !out.hasRoom(start, -TRACE_BYTES)) {
      return 0;
    }
    byte[] bytes = out.bytes;
    System.arraycopy(bytes, end, bytes, end - TRACE_BYTES, out.at - end);
    out.at -= TRACE_BYTES;
    int others = bytes[HEADERS] - (byte) Cbor.MAP - 1;
    bytes[HEADERS] = (byte) (others == 0 ? Cbor.NULL : Cbor.MAP + others);
    return TRACE_BYTES;
  }

  /** Writes the headers of an answer to a message at their place; the calls follow. */
  static void source(
      CborOutput out, Message message, @Nullable CallFailure failure, @Nullable TraceParent trace) {
    begin(out);
    header(out, Header.SOURCE);
    out.integer(message.position());
    text(out, Header.SOURCE_CLIENT, message.client());
    text(out, Header.SOURCE_KEY, message.key());
    if (failure != null) {
      header(out, Header.FAILURE);
      out.head(Cbor.ARRAY, 2);
      out.text(Cbor.TEXT, failure.error());
      out.text(Cbor.TEXT, failure.text());
      if (failure.declined()) {
        header(out, Header.DECLINED);
        out.put(Cbor.TRUE);
      }
    }
    trace(out, trace);
  }

  /**
   * Moves a header that was written behind the calls to its place before them.
   *
   * @param calls where the first call begins
   * @param header where the header begins; it ends with the output
   */
  static void addHeader(CborOutput out, int calls, int header) {
    byte[] bytes = out.bytes;
    byte[] moved = Arrays.copyOfRange(bytes, header, out.at);
    System.arraycopy(bytes, calls, bytes, calls + moved.length, header - calls);
    System.arraycopy(moved, 0, bytes, calls, moved.length);
    bytes[HEADERS]++;
  }

  /** Whether the head of a message with that many calls is one byte. */
  static boolean hasShortHead(int calls) {
    return calls <= CALLS_IN_SHORT_HEAD;
  }

  static boolean takes(int calls) {
    return calls <= MOST_CALLS;
  }

  /** Where a message with that many calls begins. */
  static int start(int calls) {
    return hasShortHead(calls) ? BODY - 1 : 0;
  }

  /** Replaces the time of a complete message. */
  static void time(byte[] message, long micros) {
    int skipped = message[0] == (byte) (Cbor.ARRAY | 25) ? 0 : BODY - 1;
    Cbor.LONGS.set(message, TIME - skipped, micros);
  }

  /**
   * Fills in the items before the headers.
   *
   * @return where the message begins
   */
  static int finish(CborOutput out, int calls, long idHigh, long idLow, long micros) {
    byte[] bytes = out.bytes;
    Cbor.LONGS.set(bytes, ID, idHigh);
    Cbor.LONGS.set(bytes, ID + 8, idLow);
    Cbor.LONGS.set(bytes, TIME, micros);
    int start = start(calls);
    int items = ENVELOPE_ITEMS + 2 * calls;
    if (start > 0) {
      bytes[start] = (byte) (Cbor.ARRAY | items);
    } else {
      bytes[start] = (byte) (Cbor.ARRAY | 25);
      Cbor.SHORTS.set(bytes, start + 1, (short) items);
    }
    return start;
  }
}
