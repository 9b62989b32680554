/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import java.time.Duration;
import java.util.Locale;

/**
 * Formats figures for people: two significant units of time, thousands separators, binary sizes.
 * The page's {@code format.js} formats alike; tests check both against {@code format-vectors.json}.
 */
public final class Formats {

  private static final String[] SIZES = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  private static final long MINUTE = 60;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  private Formats() {}

  public static String duration(Duration duration) {
    return duration(duration.toNanos() / 1e9);
  }

  /** Such as "4 m 12 s", "1.3 s" or "85 ms". */
  public static String duration(double seconds) {
    if (seconds <= 0) {
      return "0 s";
    }
    if (Math.round(seconds * 1e6) < 1000) {
      return Math.max(1, Math.round(seconds * 1e6)) + " µs";
    }
    if (Math.round(seconds * 1e3) < 1000) {
      double millis = seconds * 1e3;
      return (millis < 9.95 ? tenths(millis) : whole(millis)) + " ms";
    }
    if (seconds < 9.95) {
      return tenths(seconds) + " s";
    }
    long whole = Math.round(seconds);
    if (whole < MINUTE) {
      return whole + " s";
    }
    if (whole < HOUR) {
      return two(whole, MINUTE, "m", 1, "s");
    }
    long minutes = Math.round(seconds / MINUTE) * MINUTE;
    if (minutes < DAY) {
      return two(minutes, HOUR, "h", MINUTE, "m");
    }
    long hours = Math.round(seconds / HOUR) * HOUR;
    return hours < 100 * DAY
        ? two(hours, DAY, "d", HOUR, "h")
        : whole((double) Math.round(seconds / DAY)) + " d";
  }

  private static String two(long seconds, long large, String first, long small, String second) {
    long rest = seconds % large / small;
    return seconds / large + " " + first + (rest == 0 ? "" : " " + rest + " " + second);
  }

  /** Such as "0.4", "2,000" or "1.2 M"; also for rates. */
  public static String number(double number) {
    double size = Math.abs(number);
    if (size < 9.95) {
      return size != 0 && size < 0.1 ? decimals(number, 2) : tenths(number);
    }
    if (size < 999_999.5) {
      return whole(number);
    }
    return size < 999_950_000 ? tenths(number / 1e6) + " M" : tenths(number / 1e9) + " G";
  }

  /** Such as "1.1 GiB". */
  public static String bytes(double bytes) {
    double size = bytes;
    int unit = 0;
    while (unit < SIZES.length - 1 && Math.abs(size) >= (unit == 0 ? 1024 : 1023.5)) {
      size /= 1024;
      unit++;
    }
    return (unit == 0 || Math.abs(size) >= 99.95 ? whole(size) : tenths(size)) + " " + SIZES[unit];
  }

  /** Such as "64 %"; under one per cent with a decimal. */
  public static String share(double share) {
    double percent = share * 100;
    return (percent < 0.95 ? tenths(percent) : whole(percent)) + " %";
  }

  private static String whole(double number) {
    return String.format(Locale.ROOT, "%,d", Math.round(number));
  }

  private static String tenths(double number) {
    return decimals(number, 1);
  }

  /** Rounds half up, like Math.round of JavaScript, and removes trailing zeros. */
  private static String decimals(double number, int digits) {
    long power = digits == 1 ? 10 : 100;
    long scaled = Math.round(number * power);
    long fraction = Math.abs(scaled % power);
    String sign = scaled < 0 ? "-" : "";
    String integer = String.format(Locale.ROOT, "%,d", Math.abs(scaled / power));
    if (fraction == 0) {
      return sign + integer;
    }
    String text = digits == 1 || fraction >= 10 ? "" + fraction : "0" + fraction;
    return sign + integer + "." + text.replaceAll("0$", "");
  }
}
