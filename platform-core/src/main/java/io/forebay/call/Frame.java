/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static io.forebay.call.DecodeFailure.malformed;

import io.forebay.call.UndecodableMessage.Reason;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The outer array of a message: {@code [version, id, time, headers, method, args, …]}.
 *
 * <p>When written, the parts before the headers stand at fixed places, so that they are filled in
 * when the message is appended.
 */
final class Frame {

  static final int VERSION = 0;

  /** Where the body begins in the output: room for an array head of 3 bytes. */
  private static final int BODY = 3;

  private static final int ID = BODY + 2;
  private static final int TIME = ID + 17;

  /** Where the headers are written. */
  static final int HEADERS = TIME + 8;

  private static final int ENVELOPE_ITEMS = 4;
  private static final int MOST_CALLS = (Cbor.MAX_ITEMS - ENVELOPE_ITEMS) / 2;
  private static final int CALLS_IN_SHORT_HEAD = (23 - ENVELOPE_ITEMS) / 2;

  private Frame() {}

  /** Writes what is the same in every message; stays valid as long as the output is used. */
  static void prepare(CborOutput out) {
    byte[] bytes = out.bytes;
    bytes[BODY] = VERSION;
    bytes[BODY + 1] = Cbor.BYTES | 16;
    bytes[TIME - 1] = Cbor.UNSIGNED | 27;
  }

  /**
   * Fills in what is known at the end.
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
    if (start == BODY - 1) {
      bytes[start] = (byte) (Cbor.ARRAY | items);
    } else {
      bytes[start] = (byte) (Cbor.ARRAY | 25);
      Cbor.SHORTS.set(bytes, start + 1, (short) items);
    }
    return start;
  }

  /** Where a message with so many calls begins. */
  static int start(int calls) {
    return calls <= CALLS_IN_SHORT_HEAD ? BODY - 1 : 0;
  }

  static boolean takes(int calls) {
    return calls <= MOST_CALLS;
  }

  /**
   * Reads the head of the array.
   *
   * @return how many calls the message has
   */
  static int items(CborInput in) {
    if ((in.head() & 0xe0) != Cbor.ARRAY) {
      throw malformed("the message is not an array");
    }
    int items = in.checkedCount(1);
    if (items < ENVELOPE_ITEMS || items % 2 != 0 || items > Cbor.MAX_ITEMS) {
      throw malformed("the message is an array of %,d items".formatted(items));
    }
    return (items - ENVELOPE_ITEMS) / 2;
  }

  static Message envelope(CborInput in, int partition, long position) {
    long version = part(in, Cbor.UNSIGNED, "version");
    if (version != VERSION) {
      throw new DecodeFailure(
          Reason.UNKNOWN_VERSION,
          "version %s; this reader knows %d".formatted(Long.toUnsignedString(version), VERSION));
    }
    if (part(in, Cbor.BYTES, "id") != 16 || in.remaining() < 16) {
      throw malformed("the id is not of 16 bytes");
    }
    long idHigh = (long) Cbor.LONGS.get(in.bytes, in.at);
    long idLow = (long) Cbor.LONGS.get(in.bytes, in.at + 8);
    in.at += 16;
    long micros = part(in, Cbor.UNSIGNED, "time");
    if (micros < 0) {
      throw malformed("the time is beyond 64 bits with sign");
    }
    Headers headers = in.skipNull() ? Headers.NONE : headers(in);
    return new Message(partition, position, idHigh, idLow, micros, headers);
  }

  private static long part(CborInput in, int major, String name) {
    int initial = in.head();
    if ((initial & 0xe0) != major) {
      throw malformed("the " + name + " is " + in.name(initial));
    }
    return in.argument;
  }

  private static Headers headers(CborInput in) {
    int initial = in.head();
    if ((initial & 0xe0) != Cbor.MAP) {
      throw malformed("the headers are " + in.name(initial));
    }
    int count = in.checkedCount(2);
    if (count > Cbor.MAX_HEADERS) {
      throw malformed("%,d headers (limit=%d)".formatted(count, Cbor.MAX_HEADERS));
    }
    String client = null;
    String key = null;
    UUID replayOf = null;
    long source = -1;
    String[] names = new String[count];
    for (int i = 0; i < count; i++) {
      String name = headerName(in);
      if (Arrays.asList(names).contains(name)) {
        throw malformed("a header is there twice");
      }
      names[i] = name;
      switch (name) {
        case Headers.CLIENT -> client = headerText(in, name);
        case Headers.KEY -> key = headerText(in, name);
        case Headers.REPLAY_OF -> replayOf = headerId(in);
        case Headers.SOURCE -> source = headerPosition(in);
        default -> in.skip(1);
      }
    }
    return new Headers(client, key, replayOf, source);
  }

  private static String headerName(CborInput in) {
    int initial = in.head();
    if ((initial & 0xe0) != Cbor.TEXT) {
      throw malformed("the name of a header is " + in.name(initial));
    }
    return in.textBytes(in.checkedLength());
  }

  private static String headerText(CborInput in, String name) {
    int initial = in.head();
    if ((initial & 0xe0) != Cbor.TEXT) {
      throw malformed("header " + name + " is " + in.name(initial));
    }
    int length = in.checkedLength();
    if (length > Cbor.MAX_KEY_BYTES) {
      throw malformed(
          "header %s has %,d bytes (limit=%d)".formatted(name, length, Cbor.MAX_KEY_BYTES));
    }
    return in.textBytes(length);
  }

  private static UUID headerId(CborInput in) {
    int initial = in.head();
    if ((initial & 0xe0) != Cbor.BYTES || in.checkedLength() != 16) {
      throw malformed("header " + Headers.REPLAY_OF + " is not 16 bytes");
    }
    UUID id =
        new UUID(
            (long) Cbor.LONGS.get(in.bytes, in.at), (long) Cbor.LONGS.get(in.bytes, in.at + 8));
    in.at += 16;
    return id;
  }

  private static long headerPosition(CborInput in) {
    int initial = in.head();
    if ((initial & 0xe0) != Cbor.UNSIGNED || in.argument < 0) {
      throw malformed("header " + Headers.SOURCE + " is not a position");
    }
    return in.argument;
  }

  /** Writes the headers at their place; the calls follow. */
  static void headers(
      CborOutput out, @Nullable String client, @Nullable String key, @Nullable UUID replayOf) {
    out.at = HEADERS;
    int count = (client == null ? 0 : 1) + (key == null ? 0 : 1) + (replayOf == null ? 0 : 1);
    if (count == 0) {
      out.put(Cbor.NULL);
      return;
    }
    out.head(Cbor.MAP, count);
    if (client != null) {
      out.text(Cbor.TEXT, Headers.CLIENT);
      out.text(Cbor.TEXT, client);
    }
    if (key != null) {
      out.text(Cbor.TEXT, Headers.KEY);
      out.text(Cbor.TEXT, key);
    }
    if (replayOf != null) {
      out.text(Cbor.TEXT, Headers.REPLAY_OF);
      out.byteString(replayOf.getMostSignificantBits(), replayOf.getLeastSignificantBits());
    }
  }

  /** Writes the headers of an answer at their place; the calls follow. */
  static void source(CborOutput out, long position) {
    out.at = HEADERS;
    out.head(Cbor.MAP, 1);
    out.text(Cbor.TEXT, Headers.SOURCE);
    out.integer(position);
  }
}
