/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

/**
 * The statements {@code from} (inclusive) to {@code to} (exclusive); each inserts a bigint, a
 * string and a double. The same number always gives the same statement, and creating one allocates
 * nothing.
 *
 * @param mixed whether two kinds of statements alternate
 * @param failPercent the percentage that violates a check constraint, spread at random
 */
record Burst(long from, long to, boolean mixed, double failPercent) {

  private static final String ORDERS = "insert into orders (id, customer, amount) values (?, ?, ?)";
  private static final String PAYMENTS =
      "insert into payments (id, customer, amount) values (?, ?, ?)";

  private static final String[] CUSTOMERS = new String[1024];

  static {
    for (int i = 0; i < CUSTOMERS.length; i++) {
      CUSTOMERS[i] = "customer-%04d".formatted(i);
    }
  }

  static Burst plain(long from, long to) {
    return new Burst(from, to, false, 0);
  }

  /** As many statements of the same kind, starting at another number. */
  Burst startingAt(long number) {
    return new Burst(number, number + count(), mixed, failPercent);
  }

  /** Part {@code index} of {@code parts} equal parts. */
  Burst part(int index, int parts) {
    return new Burst(
        from + count() * index / parts, from + count() * (index + 1) / parts, mixed, failPercent);
  }

  long count() {
    return to - from;
  }

  /** Whether it is the second of the two kinds. */
  boolean isPayment(long number) {
    return mixed && (number & 1) == 1;
  }

  String sql(long number) {
    return isPayment(number) ? PAYMENTS : ORDERS;
  }

  static String sql(boolean payment) {
    return payment ? PAYMENTS : ORDERS;
  }

  String customer(long number) {
    return CUSTOMERS[(int) number & (CUSTOMERS.length - 1)];
  }

  /**
   * A hash of the number, so that lost and duplicate rows change the sum of all; a multiple of 0.25
   * below 2<sup>22</sup>, so that the sum is exact. Negative, which the tables refuse, if the
   * statement fails.
   */
  double amount(long number) {
    return fails(number) ? -1 : (scrambled(number) >>> 40) * 0.25;
  }

  boolean fails(long number) {
    return failPercent > 0 && (scrambled(number) >>> 11) < failPercent / 100 * (1L << 53);
  }

  /** The finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
  private static long scrambled(long number) {
    long z = number * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** The contents of the tables after the burst was performed once on empty tables. */
  Contents contents() {
    long rows = 0;
    long ids = 0;
    double amounts = 0;
    for (long number = from; number < to; number++) {
      if (!fails(number)) {
        rows++;
        ids += number;
        amounts += amount(number);
      }
    }
    return new Contents(rows, ids, amounts);
  }

  /** The number of rows, and the sums of their columns. */
  record Contents(long rows, long ids, double amounts) {}
}
