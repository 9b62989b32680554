/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.statement;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which statements of a service take the time of its database, of the last minute, and how long
 * each usually takes, of the hour before. Knows nothing of the time before a restart. Thread-safe.
 */
public final class StatementShares {

  private static final Duration WINDOW = Duration.ofMinutes(1);

  /** Of the hour, a sample is kept for each of these. */
  private static final Duration STEP = Duration.ofMinutes(2);

  private static final Duration KEPT = Duration.ofHours(1);

  private final List<Sample> samples = new ArrayList<>();

  private record Sample(Instant at, Counters counters) {}

  /**
   * Counters since the service was created. They never decrease.
   *
   * @param transactionNanos the time that all transactions took, without the wait for the in-queue
   * @param statements the part of it that statements took
   */
  public record Counters(long transactionNanos, List<Statement> statements) {

    /** Those of a service that performs no statements. */
    public static final Counters NONE = new Counters(0, List.of());

    public Counters {
      statements = List.copyOf(statements);
    }

    /** The counters of a statement, which are zero before it is performed. */
    public Statement of(@Nullable String name) {
      return statements.stream()
          .filter(it -> Objects.equals(it.name(), name))
          .findFirst()
          .orElse(new Statement(name, 0, 0));
    }
  }

  /**
   * A statement of the catalogue.
   *
   * @param name null for all SQL texts that the catalogue does not have
   * @param count how often it was performed, with attempts that failed
   */
  public record Statement(@Nullable String name, long count, long nanos) {}

  /** What takes time. */
  public enum Part {
    /** A statement of the catalogue. */
    STATEMENT,
    /** All SQL texts that the catalogue does not have. */
    SQL_TEXT,
    /** The rest of the transactions: ledger and commit. */
    TRANSACTION
  }

  /**
   * @param statement its name; null unless it is a statement of the catalogue
   * @param share of the time of all transactions, 0 to 1
   * @param count how often it was performed; null for {@link Part#TRANSACTION}
   * @param mean the time of one; null for {@link Part#TRANSACTION}
   * @param usual the median of the means of the hour before; null if it was not performed then
   */
  public record Share(
      Part part,
      @Nullable String statement,
      double share,
      @Nullable Long count,
      @Nullable Duration mean,
      @Nullable Duration usual) {}

  /**
   * @param over the time that it covers; zero if there are no two samples yet
   * @param shares the largest first; empty if no transaction took time
   */
  public record Slowest(Duration over, List<Share> shares) {}

  /** Adds a sample; call it about every ten seconds. */
  public synchronized void add(Instant at, Counters counters) {
    samples.removeIf(it -> it.at().isAfter(at)); // the clock was set back
    samples.removeIf(it -> it.at().isBefore(at.minus(KEPT)));
    samples.add(new Sample(at, counters));
    int window = windowStart();
    for (int i = window - 1; i > 0; i--) {
      if (samples.get(i).at().isBefore(samples.get(i - 1).at().plus(STEP))) {
        samples.remove(i);
      }
    }
  }

  /** How many samples are kept. */
  synchronized int kept() {
    return samples.size();
  }

  /** The index of the newest sample that is a minute old, or else the oldest. */
  private int windowStart() {
    Instant begin = samples.getLast().at().minus(WINDOW);
    int from = samples.size() - 1;
    while (from > 0 && samples.get(from).at().isAfter(begin)) {
      from--;
    }
    return from;
  }

  /** The shares of the last minute, or since the oldest sample. */
  public synchronized Slowest slowest() {
    if (samples.size() < 2) {
      return new Slowest(Duration.ZERO, List.of());
    }
    int window = windowStart();
    Sample from = samples.get(window);
    Sample to = samples.getLast();
    return new Slowest(
        Duration.between(from.at(), to.at()),
        between(from.counters(), to.counters(), usual(window)));
  }

  /** The median of the mean times of each statement, of the steps up to a sample. */
  private Map<@Nullable String, Duration> usual(int end) {
    Map<@Nullable String, List<Long>> means = new HashMap<>();
    for (int i = 1; i <= end; i++) {
      for (Statement it : grown(samples.get(i - 1).counters(), samples.get(i).counters())) {
        means.computeIfAbsent(it.name(), _ -> new ArrayList<>()).add(it.nanos() / it.count());
      }
    }
    Map<@Nullable String, Duration> usual = new HashMap<>();
    means.forEach((name, all) -> {
      all.sort(Comparator.naturalOrder());
      usual.put(name, Duration.ofNanos(all.get((all.size() - 1) / 2)));
    });
    return usual;
  }

  /** How often each statement was performed between two samples, and the time it took. */
  private static List<Statement> grown(Counters before, Counters now) {
    Map<@Nullable String, Statement> earlier = new HashMap<>();
    before.statements().forEach(it -> earlier.put(it.name(), it));
    List<Statement> grown = new ArrayList<>();
    for (Statement statement : now.statements()) {
      Statement then = earlier.getOrDefault(statement.name(), new Statement(null, 0, 0));
      long nanos = Math.max(0, statement.nanos() - then.nanos());
      long count = statement.count() - then.count();
      if (count > 0) {
        grown.add(new Statement(statement.name(), count, nanos));
      }
    }
    return grown;
  }

  /** The shares of the time between two samples, the largest first. */
  static List<Share> between(Counters before, Counters now, Map<@Nullable String, Duration> usual) {
    List<Statement> grown = grown(before, now);
    long performing = grown.stream().mapToLong(Statement::nanos).sum();
    // a statement is counted before its transaction has ended
    long all = Math.max(performing, now.transactionNanos() - before.transactionNanos());
    if (all == 0) {
      return List.of();
    }
    List<Share> shares = new ArrayList<>();
    for (Statement it : grown) {
      shares.add(
          new Share(
              it.name() == null ? Part.SQL_TEXT : Part.STATEMENT,
              it.name(),
              (double) it.nanos() / all,
              it.count(),
              Duration.ofNanos(it.nanos() / it.count()),
              usual.get(it.name())));
    }
    if (all > performing) {
      double share = (double) (all - performing) / all;
      shares.add(new Share(Part.TRANSACTION, null, share, null, null, null));
    }
    shares.sort(Comparator.comparing(Share::share).reversed());
    return List.copyOf(shares);
  }
}
