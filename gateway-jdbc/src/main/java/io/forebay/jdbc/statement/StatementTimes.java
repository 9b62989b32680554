/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.jdbc.StatementCatalogue;
import io.forebay.operations.StatementCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * How long the database took for the statements of a gateway, by their name in the catalogue. All
 * SQL texts that the catalogue does not have count as one: they may contain values, and senders can
 * invent any number of them. Counts since the gateway was created. Thread-safe.
 *
 * <p>Called once for each run of equal statements, not for each statement; for a text that is known
 * it allocates nothing.
 */
public final class StatementTimes {

  private final String gateway;
  private final StatementCatalogue catalogue;

  /** By name in the catalogue. */
  private final Map<String, Times> named = new ConcurrentHashMap<>();

  private final Times others = new Times(null);
  private final LongAdder transactionNanos = new LongAdder();
  private final LongAdder lostNanos = new LongAdder();

  StatementTimes(String gateway, StatementCatalogue catalogue) {
    this.gateway = gateway;
    this.catalogue = catalogue;
  }

  private record Times(@Nullable String name, LongAdder count, LongAdder nanos) {

    Times(@Nullable String name) {
      this(name, new LongAdder(), new LongAdder());
    }

    StatementCounts.Statement read() {
      return new StatementCounts.Statement(name, count.sum(), nanos.sum());
    }
  }

  /**
   * Statements of one text were performed together, or failed.
   *
   * @param count how many
   * @param nanos the time that they took in all
   */
  public void add(String sql, int count, long nanos) {
    String name = catalogue.nameOf(gateway, sql);
    Times times = name == null ? others : named.computeIfAbsent(name, Times::new);
    times.count().add(count);
    times.nanos().add(nanos);
  }

  /**
   * A transaction ended, or failed, after this time.
   *
   * @param lost the part of it that statements took which failed, or were performed with them
   */
  public void addTransaction(long nanos, long lost) {
    transactionNanos.add(nanos);
    lostNanos.add(lost);
  }

  /** The time that would have been saved if no statement had failed. */
  public long lostNanos() {
    return lostNanos.sum();
  }

  /** The present counters; the texts of one name are one statement. */
  public StatementCounts read() {
    List<StatementCounts.Statement> all = new ArrayList<>();
    named.values().forEach(it -> all.add(it.read()));
    all.add(others.read());
    return new StatementCounts(transactionNanos.sum(), all);
  }
}
