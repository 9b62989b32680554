/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.statement;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which statements of a service take the time of its database, of the last five minutes. Knows
 * nothing of the time before a restart. Thread-safe.
 */
public final class StatementShares {

  private static final Duration WINDOW = Duration.ofMinutes(5);

  private final Deque<Sample> samples = new ArrayDeque<>();

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
   */
  public record Share(
      Part part,
      @Nullable String statement,
      double share,
      @Nullable Long count,
      @Nullable Duration mean) {}

  /**
   * @param over the time that it covers; zero if there are no two samples yet
   * @param shares the largest first; empty if no transaction took time
   */
  public record Slowest(Duration over, List<Share> shares) {}

  /** Adds a sample; call it about every ten seconds. */
  public synchronized void add(Instant at, Counters counters) {
    samples.removeIf(it -> it.at().isAfter(at)); // the clock was set back
    while (samples.size() > 1 && samples.peekFirst().at().isBefore(at.minus(WINDOW))) {
      samples.removeFirst();
    }
    samples.addLast(new Sample(at, counters));
  }

  /** The shares from the oldest sample of the last five minutes to the newest. */
  public synchronized Slowest slowest() {
    if (samples.size() < 2) {
      return new Slowest(Duration.ZERO, List.of());
    }
    Sample from = samples.getFirst();
    Sample to = samples.getLast();
    return new Slowest(
        Duration.between(from.at(), to.at()), between(from.counters(), to.counters()));
  }

  /** The shares of the time between two samples, the largest first. */
  static List<Share> between(Counters before, Counters now) {
    Map<@Nullable String, Statement> earlier = new HashMap<>();
    before.statements().forEach(it -> earlier.put(it.name(), it));
    List<Statement> grown = new ArrayList<>();
    long performing = 0;
    for (Statement statement : now.statements()) {
      Statement then = earlier.getOrDefault(statement.name(), new Statement(null, 0, 0));
      long nanos = Math.max(0, statement.nanos() - then.nanos());
      long count = statement.count() - then.count();
      if (count > 0) {
        grown.add(new Statement(statement.name(), count, nanos));
        performing += nanos;
      }
    }
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
              Duration.ofNanos(it.nanos() / it.count())));
    }
    if (all > performing) {
      shares.add(new Share(Part.TRANSACTION, null, (double) (all - performing) / all, null, null));
    }
    shares.sort(Comparator.comparing(Share::share).reversed());
    return List.copyOf(shares);
  }
}
