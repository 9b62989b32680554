/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.text;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;

/**
 * Formats figures for people: two units of time or two digits, thousands separators, binary sizes.
 * The page's {@code format.js} formats alike; tests check both against {@code format-vectors.json}.
 */
public final class Formats {

  /** Shown for a value that is no finite number. */
  private static final String UNKNOWN = "–";

  private static final long HOUR = 3600;
  private static final long DAY = 24 * HOUR;

  private Formats() {}

  public static String duration(Duration duration) {
    return duration(duration.toNanos() / 1e9);
  }

  /** Such as "4 m 12 s", "1.3 s" or "85 ms". */
  public static String duration(double seconds) {
    if (!Double.isFinite(seconds)) {
      return UNKNOWN;
    }
    if (seconds <= 0) {
      return "0 s";
    }
    if (seconds < 0.9995e-3) {
      return small(Math.max(1, seconds * 1e6)) + " µs";
    }
    if (seconds < 0.9995) {
      return small(seconds * 1e3) + " ms";
    }
    if (seconds < 59.5) {
      return small(seconds) + " s";
    }
    if (seconds < HOUR - 0.5) {
      return two(Math.round(seconds), 60, "m", "s");
    }
    if (seconds < DAY - 30) {
      return two(Math.round(seconds / 60), 60, "h", "m");
    }
    return seconds < 9.98 * DAY
        ? two(Math.round(seconds / HOUR), 24, "d", "h")
        : number(Math.round(seconds / DAY)) + " d";
  }

  private static String two(long whole, long per, String large, String small) {
    long rest = whole % per;
    return whole / per + " " + large + (rest == 0 ? "" : " " + rest + " " + small);
  }

  /** Such as "0.4", "2,000" or "1.2 M"; also for rates. */
  public static String number(double number) {
    if (!Double.isFinite(number)) {
      return UNKNOWN;
    }
    if (number < 0) {
      return "-" + number(-number);
    }
    if (number >= 999_999.5) {
      return number >= 999_950_000 ? number(number / 1e9) + " G" : number(number / 1e6) + " M";
    }
    if (number >= 0.95 || number == 0) {
      return small(number);
    }
    return decimals(number, Math.clamp((int) Math.ceil(-Math.log10(number) - 1e-9), 1, 6));
  }

  /** The least size that is not smaller and that the page shows exactly. */
  public static long roundedUp(long bytes) {
    double unit = 1;
    while (bytes / unit >= 1023.5) {
      unit *= 1024;
    }
    if (unit == 1) {
      return bytes;
    }
    double step = bytes / unit < 9.95 ? unit / 10 : unit;
    return (long) Math.ceil(Math.ceil(bytes / step - 1e-9) * step);
  }

  /** A count with its noun, such as "1 message" or "2,000 messages". */
  public static String count(long number, String noun) {
    return "%s %s%s"
        .formatted(String.format(Locale.ROOT, "%,d", number), noun, number == 1 ? "" : "s");
  }

  /** A sentence as part of another one: without its full stop. */
  public static String clause(String sentence) {
    String text = sentence.strip();
    return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
  }

  /** One decimal below ten, none above. */
  private static String small(double number) {
    return number < 9.95 ? decimals(number, 1) : whole(number);
  }

  private static String whole(double number) {
    return String.format(Locale.ROOT, "%,d", Math.round(number));
  }

  /** Rounds half up, like the page, and removes trailing zeros. */
  private static String decimals(double number, int digits) {
    long scaled = Math.round(number * Math.pow(10, digits) + 1e-9);
    return BigDecimal.valueOf(scaled, digits).stripTrailingZeros().toPlainString();
  }
}
