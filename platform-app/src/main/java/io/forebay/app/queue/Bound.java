/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import io.forebay.call.Message;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An end of a range of messages, which belongs to the range: a position, or a time by the clock of
 * the message's writer.
 *
 * @param position a position, or −1
 * @param time null if it is a position
 */
record Bound(long position, @Nullable Instant time) {

  private static final List<Function<String, Instant>> TIMES =
      List.of(
          text -> OffsetDateTime.parse(text).toInstant(),
          text -> LocalDateTime.parse(text).toInstant(ZoneOffset.UTC),
          text -> LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC));

  /**
   * @throws IllegalArgumentException if it is neither; the message does not contain it
   */
  static Bound of(String text) {
    if (text.matches("[0-9]{1,18}")) {
      return new Bound(Long.parseLong(text), null);
    }
    for (Function<String, Instant> format : TIMES) {
      try {
        return new Bound(-1, format.apply(text));
      } catch (DateTimeException e) {
        // another format
      }
    }
    throw new IllegalArgumentException(
        "is neither a position, such as 1200, nor a time, such as 2026-11-23T10:15:00Z (without an offset: UTC)");
  }

  boolean isBefore(Message message) {
    return time == null ? position < message.position() : time.isBefore(message.appendTime());
  }

  boolean isAfter(Message message) {
    return time == null ? position > message.position() : time.isAfter(message.appendTime());
  }
}
