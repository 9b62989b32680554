/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import static io.forebay.call.value.DecodeFailure.malformed;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads dates and times from ISO 8601 text. The forms that {@link IsoText} writes are read straight
 * from the bytes, all others by {@code java.time}. Not thread-safe.
 */
final class IsoTime {

  static final int LONGEST = 64;

  private final CborInput in;
  private byte[] bytes = {};
  private int at;
  private int end;

  IsoTime(CborInput in) {
    this.in = in;
  }

  LocalDate date() {
    return read("a date", IsoTime::plainDate, LocalDate::parse);
  }

  LocalTime localTime() {
    return read("a local time", IsoTime::plainTime, LocalTime::parse);
  }

  LocalDateTime localDateTime() {
    return read("a local date and time", IsoTime::plainDateTime, LocalDateTime::parse);
  }

  OffsetDateTime dateTime() {
    return read("a date and time with offset", IsoTime::plainOffsetDateTime, OffsetDateTime::parse);
  }

  private <V> V read(
      String expected, Function<IsoTime, @Nullable V> plain, Function<String, V> other) {
    int length = in.string(Cbor.TEXT, expected);
    if (length > LONGEST) {
      throw malformed("%s of %,d bytes (limit=%d)".formatted(expected, length, LONGEST));
    }
    bytes = in.bytes;
    at = in.at;
    end = at + length;
    try {
      V value = plain.apply(this);
      if (value != null && at == end) {
        in.at = end;
        return value;
      }
      return other.apply(in.textBytes(length));
    } catch (DateTimeException e) {
      throw malformed("text that is not " + expected + " in ISO 8601");
    }
  }

  private @Nullable LocalDate plainDate() {
    int year = digits(4);
    int month = skip('-') ? digits(2) : -1;
    int day = skip('-') ? digits(2) : -1;
    return (year | month | day) < 0 ? null : LocalDate.of(year, month, day);
  }

  private @Nullable LocalTime plainTime() {
    int hour = digits(2);
    int minute = skip(':') ? digits(2) : -1;
    int second = skip(':') ? digits(2) : -1;
    int nano = skip('.') ? fraction() : 0;
    return (hour | minute | second | nano) < 0 ? null : LocalTime.of(hour, minute, second, nano);
  }

  private @Nullable LocalDateTime plainDateTime() {
    LocalDate date = plainDate();
    LocalTime time = date != null && skip('T') ? plainTime() : null;
    return date == null || time == null ? null : LocalDateTime.of(date, time);
  }

  private @Nullable OffsetDateTime plainOffsetDateTime() {
    LocalDateTime dateTime = plainDateTime();
    if (dateTime == null) {
      return null;
    }
    if (skip('Z')) {
      return OffsetDateTime.of(dateTime, ZoneOffset.UTC);
    }
    boolean west = skip('-');
    if (!west && !skip('+')) {
      return null;
    }
    int hours = digits(2);
    int minutes = skip(':') ? digits(2) : -1;
    if ((hours | minutes) < 0) {
      return null;
    }
    return OffsetDateTime.of(
        dateTime,
        west
            ? ZoneOffset.ofHoursMinutes(-hours, -minutes)
            : ZoneOffset.ofHoursMinutes(hours, minutes));
  }

  private boolean skip(char c) {
    if (at < end && bytes[at] == c) {
      at++;
      return true;
    }
    return false;
  }

  /** The number made of the next {@code count} digits, or −1 if they are missing. */
  private int digits(int count) {
    if (end - at < count) {
      return -1;
    }
    int value = 0;
    for (int i = 0; i < count; i++) {
      int digit = bytes[at + i] - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      value = 10 * value + digit;
    }
    at += count;
    return value;
  }

  /** The nanoseconds given by 1 to 9 digits after the point, or −1 if there are none. */
  private int fraction() {
    int start = at;
    int nanos = 0;
    while (at < end && at - start < 9 && bytes[at] >= '0' && bytes[at] <= '9') {
      nanos = 10 * nanos + bytes[at++] - '0';
    }
    if (at == start) {
      return -1;
    }
    for (int i = at - start; i < 9; i++) {
      nanos *= 10;
    }
    return nanos;
  }
}
