/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * Dates and times as ISO 8601 text, always with seconds as RFC 3339 wants it, with 0, 3, 6 or 9
 * digits of a second. Years outside 0000–9999 take the expanded form with a sign.
 */
final class IsoText {

  private IsoText() {}

  static void date(LocalDate date, CborOutput out) {
    out.head(Cbor.TEXT, length(date));
    put(date, out);
  }

  static void time(LocalTime time, CborOutput out) {
    out.head(Cbor.TEXT, length(time));
    put(time, out);
  }

  static void dateTime(LocalDateTime value, @Nullable ZoneOffset offset, CborOutput out) {
    LocalDate date = value.toLocalDate();
    LocalTime time = value.toLocalTime();
    out.head(
        Cbor.TEXT,
        length(date) + 1 + length(time) + (offset == null ? 0 : offset.getId().length()));
    put(date, out);
    out.put('T');
    put(time, out);
    if (offset != null) {
      ascii(offset.getId(), out);
    }
  }

  /**
   * @throws RefusedValue if no date and time with an offset is so far away
   */
  static OffsetDateTime atUtc(Instant instant) {
    try {
      return instant.atOffset(ZoneOffset.UTC);
    } catch (DateTimeException e) {
      throw new RefusedValue("an Instant beyond the year 999,999,999");
    }
  }

  private static int length(LocalDate date) {
    return isPlain(date) ? 10 : date.toString().length();
  }

  private static boolean isPlain(LocalDate date) {
    return date.getYear() >= 0 && date.getYear() <= 9_999;
  }

  private static int length(LocalTime time) {
    int digits = secondDigits(time.getNano());
    return digits == 0 ? 8 : 9 + digits;
  }

  private static int secondDigits(int nano) {
    return nano == 0 ? 0 : nano % 1_000_000 == 0 ? 3 : nano % 1_000 == 0 ? 6 : 9;
  }

  private static void put(LocalDate date, CborOutput out) {
    if (!isPlain(date)) {
      ascii(date.toString(), out);
      return;
    }
    digits(date.getYear(), 4, out);
    out.put('-');
    digits(date.getMonthValue(), 2, out);
    out.put('-');
    digits(date.getDayOfMonth(), 2, out);
  }

  private static void put(LocalTime time, CborOutput out) {
    digits(time.getHour(), 2, out);
    out.put(':');
    digits(time.getMinute(), 2, out);
    out.put(':');
    digits(time.getSecond(), 2, out);
    int count = secondDigits(time.getNano());
    if (count > 0) {
      out.put('.');
      digits(time.getNano() / (count == 3 ? 1_000_000 : count == 6 ? 1_000 : 1), count, out);
    }
  }

  private static void digits(int value, int count, CborOutput out) {
    out.ensure(count);
    int rest = value;
    for (int i = count - 1; i >= 0; i--) {
      out.bytes[out.at + i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    out.at += count;
  }

  private static void ascii(String text, CborOutput out) {
    for (int i = 0; i < text.length(); i++) {
      out.put(text.charAt(i));
    }
  }
}
