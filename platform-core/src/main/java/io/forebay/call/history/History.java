/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.history;

import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborInput;
import io.forebay.call.value.CborOutput;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The hops of a message, as they are stored in its header {@code history}: a service copies them to
 * the answer without decoding them, and adds its own. Immutable.
 */
public final class History {

  /** The name of the header. */
  public static final String HEADER = "history";

  /** The most hops of a message. */
  public static final int MAX_HOPS = 64;

  private static final byte[] NO_HOPS = {};
  private static final int PARTS = 5;

  /** The most bytes of a header with one hop, without the name of the service. */
  private static final int MAX_BYTES = 64;

  private final int count;

  /** The hops, without the head of their array. */
  private final byte[] hops;

  private final long receivedMicros;

  private History(int count, byte[] hops, long receivedMicros) {
    this.count = count;
    this.hops = hops;
    this.receivedMicros = receivedMicros;
  }

  /** The history of a message that a service has received, before any other. */
  static History begun(long receivedMicros) {
    return new History(0, NO_HOPS, receivedMicros);
  }

  /**
   * Reads a value.
   *
   * @return null if it is not as docs/message-format.md describes it; the input is then anywhere in
   *     the value
   * @throws io.forebay.call.value.DecodeFailure if it is not even well-formed
   */
  public static @Nullable History read(CborInput in) {
    if (!isNext(in, Cbor.ARRAY) || in.argument < 1 || in.argument > MAX_HOPS) {
      return null;
    }
    int count = (int) in.argument;
    int start = in.at;
    for (int i = 0; i < count; i++) {
      if (!isNext(in, Cbor.ARRAY) || in.argument != PARTS || !skipHop(in)) {
        return null;
      }
    }
    return new History(count, Arrays.copyOfRange(in.bytes, start, in.at), 0);
  }

  private static boolean skipHop(CborInput in) {
    if (!isNext(in, Cbor.TEXT) || in.argument > Cbor.MAX_KEY_BYTES) {
      return false;
    }
    in.skipText(in.checkedLength());
    for (int part = 1; part < PARTS; part++) {
      if (!isNext(in, Cbor.UNSIGNED) || in.argument < 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean isNext(CborInput in, int major) {
    return (in.head() & 0xe0) == major;
  }

  /** This history of a message that a service has received. */
  History received(long micros) {
    return new History(count, hops, micros);
  }

  /** Whether the answer to the message is to have one more hop. */
  public boolean continues() {
    return receivedMicros > 0 && count < MAX_HOPS;
  }

  /** The most bytes that {@link #write} writes. */
  public int maxBytes(byte[] service) {
    return MAX_BYTES + hops.length + service.length;
  }

  /**
   * Writes the header of the answer, with one more hop.
   *
   * @param service the name, encoded
   * @param position the position of the message in its in-queue
   */
  public void write(
      CborOutput out, byte[] service, long position, long appendMicros, long performedMicros) {
    out.text(Cbor.TEXT, HEADER);
    out.head(Cbor.ARRAY, count + 1);
    out.raw(hops, 0, hops.length);
    out.head(Cbor.ARRAY, PARTS);
    out.raw(service, 0, service.length);
    out.integer(position);
    out.integer(appendMicros);
    out.integer(receivedMicros);
    out.integer(performedMicros);
  }

  /**
   * Returns the hops, the first one first.
   *
   * @param answered when the message was appended
   */
  public List<Hop> hops(Instant answered) {
    CborInput in = new CborInput();
    in.reset(ByteBuffer.wrap(hops));
    List<Hop> read = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      in.head();
      String service = in.textBytes(in.string(Cbor.TEXT, "the name of a service"));
      long position = number(in);
      Instant appended = instant(number(in));
      if (i > 0) {
        read.set(i - 1, answered(read.get(i - 1), appended));
      }
      Instant received = instant(number(in));
      Instant performed = instant(number(in));
      read.add(new Hop(service, position, appended, received, performed, answered));
    }
    return List.copyOf(read);
  }

  private static Hop answered(Hop hop, Instant answered) {
    return new Hop(
        hop.service(), hop.position(), hop.appended(), hop.received(), hop.performed(), answered);
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  private static long number(CborInput in) {
    in.head();
    return in.argument;
  }
}
