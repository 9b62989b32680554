/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.jdbc.JDBCStatement;

/**
 * The statements {@code from} (inclusive) to {@code to} (exclusive); each inserts a bigint, a
 * string and a double. The same number always gives the same statement, and creating one allocates
 * nothing.
 *
 * @param failPercent the percentage that violates a check constraint, spread at random
 */
record Burst(long from, long to, double failPercent) {

  static final String INSERT = "insert into orders (id, customer, amount) values (?, ?, ?)";

  /** The message number and CRC32C that the queue stores with each message. */
  private static final int FRAME = Long.BYTES + Integer.BYTES;

  private static final String[] CUSTOMERS = new String[1024];

  static {
    for (int i = 0; i < CUSTOMERS.length; i++) {
      CUSTOMERS[i] = "customer-%04d".formatted(i);
    }
  }

  static Burst plain(long from, long to) {
    return new Burst(from, to, 0);
  }

  /** Bytes of Forebay's message for a statement with its frame, measured by writing one. */
  static int messageBytes(String sql) {
    Burst one = plain(1_000_000, 1_000_001);
    return FRAME
        + DiscardingAppender.message(
                JDBCStatement.class,
                it ->
                    it.executeUpdate(sql, one.from(), customer(one.from()), one.amount(one.from())))
            .remaining();
  }

  /** As many statements of the same kind, starting at another number. */
  Burst startingAt(long number) {
    return new Burst(number, number + count(), failPercent);
  }

  /** Part {@code index} of {@code parts} equal parts. */
  Burst part(int index, int parts) {
    return new Burst(
        from + count() * index / parts, from + count() * (index + 1) / parts, failPercent);
  }

  long count() {
    return to - from;
  }

  static String customer(long number) {
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

  /** The contents of the table after the burst was performed once on an empty one. */
  Contents contents() {
    Contents contents = Contents.NONE;
    for (long number = from; number < to; number++) {
      if (!fails(number)) {
        contents = contents.with(number, amount(number));
      }
    }
    return contents;
  }

  /** The number of rows, and the sums of their columns. */
  record Contents(long rows, long ids, double amounts) {

    static final Contents NONE = new Contents(0, 0, 0);

    Contents with(long id, double amount) {
      return new Contents(rows + 1, ids + id, amounts + amount);
    }
  }
}
