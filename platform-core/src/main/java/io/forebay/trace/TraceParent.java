/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.trace;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The context of a sampled span, as W3C Trace Context defines it. Immutable.
 *
 * @param traceHigh the first 8 bytes of the id of the trace
 * @param traceLow the last 8 bytes of that id
 * @param span the id of the span
 */
public record TraceParent(long traceHigh, long traceLow, long span) {

  /** The name of the header, in HTTP, in Kafka's records and in a message. */
  public static final String NAME = "traceparent";

  /** The value in a message: the ids, and a byte of flags. */
  public static final int BYTES = 25;

  private static final int SAMPLED = 1;

  /** Where the flags of a header end. */
  private static final int TEXT = 55;

  private static final Pattern VALID =
      Pattern.compile("(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f][13579bdf](?:-.*)?");

  /**
   * Reads the value of a header.
   *
   * @return null if there is none, if it is not valid, or if its span is not sampled
   */
  public static @Nullable TraceParent parse(@Nullable String header) {
    if (header == null
        || header.length() < TEXT
        || (Character.digit(header.charAt(TEXT - 1), 16) & SAMPLED) == 0) {
      return null; // most requests, so nothing is allocated
    }
    Matcher parts = VALID.matcher(header);
    return parts.matches() ? of(parts.group(1), parts.group(2)) : null;
  }

  /**
   * @param trace 16 or 32 hexadecimal digits
   * @param span 16 hexadecimal digits
   * @return null if an id is not valid
   */
  static @Nullable TraceParent of(String trace, String span) {
    try {
      int low = Math.max(0, trace.length() - 16);
      long high = low == 0 ? 0 : HexFormat.fromHexDigitsToLong(trace, 0, low);
      return valid(
          high,
          HexFormat.fromHexDigitsToLong(trace, low, trace.length()),
          HexFormat.fromHexDigitsToLong(span));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /**
   * Reads the value of the header of a message.
   *
   * @return null if it is not valid, or its span is not sampled
   */
  public static @Nullable TraceParent read(byte[] bytes, int at) {
    ByteBuffer value = ByteBuffer.wrap(bytes, at, BYTES);
    TraceParent read = valid(value.getLong(), value.getLong(), value.getLong());
    return (value.get() & SAMPLED) == 0 ? null : read;
  }

  private static @Nullable TraceParent valid(long traceHigh, long traceLow, long span) {
    return (traceHigh | traceLow) == 0 || span == 0
        ? null
        : new TraceParent(traceHigh, traceLow, span);
  }

  /** What a log adds to a list about a message; empty without a trace. */
  public static String note(@Nullable TraceParent trace) {
    return trace == null ? "" : ", trace " + trace.traceId();
  }

  /** The value of the header of a message. */
  public byte[] bytes() {
    return ByteBuffer.allocate(BYTES)
        .putLong(traceHigh)
        .putLong(traceLow)
        .putLong(span)
        .put((byte) SAMPLED)
        .array();
  }

  /** The id of the trace, as logs and tools show it. */
  public String traceId() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(traceHigh) + hex.toHexDigits(traceLow);
  }

  String spanId() {
    return HexFormat.of().toHexDigits(span);
  }

  /** The value of the header of a request or a record. */
  @Override
  public String toString() {
    return "00-" + traceId() + "-" + spanId() + "-01";
  }
}
