/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

/**
 * The place of a statement in a stream of statements, which its message carries as its idempotency
 * key. Lines of a stream are appended in the order of their numbers, so for each partition it is
 * enough to store the last one performed: a line up to that one is a repetition.
 *
 * @param stream names the stream, among those of its sender; 1 to {@value #MAX_NAME} bytes
 * @param number of the line; grows, and may have gaps
 * @param previous the number of the stream's line before it in the same partition; {@value #ANY} if
 *     the sender does not know, because it has just begun or resumed
 */
public record StreamLine(String stream, long number, long previous)
    implements PendingStatement.Key {

  public static final int MAX_NAME = 100;
  public static final long ANY = -1;

  /** Not ASCII, so the door accepts it in no other key. */
  static final char MARK = '\u00b6';

  /** The idempotency key of its message. */
  public String key() {
    return MARK + "" + number + MARK + (previous == ANY ? "" : previous) + MARK + stream;
  }

  /**
   * @return null if the key is not that of a line
   */
  public static @Nullable StreamLine of(String key) {
    if (key.isEmpty() || key.charAt(0) != MARK) {
      return null;
    }
    int second = key.indexOf(MARK, 1);
    int third = key.indexOf(MARK, second + 1);
    if (second < 0 || third < 0) {
      return null;
    }
    String stream = key.substring(third + 1);
    try {
      long number = number(key, 1, second);
      long previous = third == second + 1 ? ANY : number(key, second + 1, third);
      return stream.isEmpty() || stream.getBytes(UTF_8).length > MAX_NAME
          ? null
          : new StreamLine(stream, number, previous);
    } catch (NumberFormatException _) {
      return null;
    }
  }

  private static long number(String key, int from, int to) {
    long number = Long.parseLong(key, from, to, 10);
    if (number < 0) {
      throw new NumberFormatException("negative");
    }
    return number;
  }
}
