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

  /** So many texts outside the catalogue are known at a time. */
  private static final int MOST_OTHERS = 500;

  private static final int LONGEST_OTHER = 2_000;

  private final String gateway;
  private final StatementCatalogue catalogue;

  /** By name in the catalogue. */
  private final Map<String, Times> named = new ConcurrentHashMap<>();

  /**
   * By text, because the text of a catalogue's entry is always the same object. Forgotten with each
   * {@link #read}, because the catalogue may change.
   */
  private final Map<String, Times> byText = new ConcurrentHashMap<>();

  private final Times others = new Times(null);
  private final LongAdder transactionNanos = new LongAdder();

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
    Times known = byText.get(sql);
    Times times = known == null ? find(sql) : known;
    times.count().add(count);
    times.nanos().add(nanos);
  }

  private Times find(String sql) {
    String name = catalogue.nameOf(gateway, sql);
    if (name != null) {
      Times times = named.computeIfAbsent(name, Times::new);
      byText.put(sql, times);
      return times;
    }
    if (sql.length() <= LONGEST_OTHER && byText.size() < MOST_OTHERS) {
      byText.put(sql, others);
    }
    return others;
  }

  /** A transaction ended, or failed, after this time. */
  public void addTransaction(long nanos) {
    transactionNanos.add(nanos);
  }

  /** The present counters; the texts of one name are one statement. */
  public StatementCounts read() {
    byText.clear();
    List<StatementCounts.Statement> all = new ArrayList<>();
    named.values().forEach(it -> all.add(it.read()));
    all.add(others.read());
    return new StatementCounts(transactionNanos.sum(), all);
  }
}
