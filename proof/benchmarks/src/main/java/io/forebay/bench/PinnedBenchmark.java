/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Eight callers that send statements at a steady rate, each the next one when it has the result of
 * the last, before and while another transaction stays open in the same database, as that of a
 * dump. PostgreSQL then keeps all versions of rows: a queue that walks over them gets slower with
 * each statement.
 */
final class PinnedBenchmark extends Benchmark {

  private static final String BEFORE = " before";
  private static final String AT_END = " at the end";
  private static final double MICROS_PER_MILLI = 1_000;
  private static final int SENDERS = 8;

  private final int perSecond;
  private final long seconds;
  private final long window;
  private final List<PinnedContender.Kind> contenders;

  PinnedBenchmark(Options options) {
    super(options);
    perSecond = Math.toIntExact(options.count("rate").orElse(400L));
    seconds = options.count("seconds").orElse(brief ? 6L : 1_800L);
    window = Math.min(brief ? 3 : 60, seconds);
    contenders = only(PinnedContender.Kind.values());
  }

  @Override
  protected void run(Path out) throws Exception {
    try (Testbed testbed = testbed(out, Map.of())) {
      rotate(1, contenders, it -> measure(it, testbed));
    }
  }

  private Rounds measure(PinnedContender.Kind kind, Testbed testbed) throws Exception {
    Postgres postgres = testbed.postgres();
    String database = kind.name().toLowerCase(Locale.ROOT);
    String url = postgres.create(database);
    TargetTables tables = TargetTables.inPostgresql(url);
    tables.grantTo(Postgres.GATEWAY);
    Rounds figures = new Rounds();
    try (PinnedContender contender = kind.open(testbed.newFolder(database), url);
        Connection other = tables.database().connect();
        Statement statement = other.createStatement()) {
      long sent = measure(contender, postgres, 0, window, BEFORE, new Rounds()); // a warm-up
      sent = measure(contender, postgres, sent, window, BEFORE, figures);
      other.setAutoCommit(false);
      other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.execute("select 1 from orders limit 1");
      if (seconds > window) {
        sent = measure(contender, postgres, sent, seconds - window, AT_END, new Rounds());
      }
      sent = measure(contender, postgres, sent, window, AT_END, figures);
      other.rollback();
      long rows = tables.contents().rows();
      if (rows != sent) {
        throw new IllegalStateException(
            "%s: %,d statements sent, %,d performed".formatted(title(kind), sent, rows));
      }
    }
    postgres.drop(database);
    return figures;
  }

  /**
   * Sends statements from several threads, each the next one when the last was performed.
   *
   * @return the number of the next statement
   */
  private long measure(
      PinnedContender contender, Postgres postgres, long first, long time, String when, Rounds to)
      throws Exception {
    Histogram latency = new ConcurrentHistogram(3);
    AtomicLong number = new AtomicLong(first);
    List<Thread> senders = new ArrayList<>();
    double cpu = postgres.cpuSeconds();
    long start = System.nanoTime();
    for (int i = 0; i < SENDERS; i++) {
      long begin = start + i * TimeUnit.SECONDS.toNanos(1) / perSecond;
      senders.add(
          Thread.startVirtualThread(() -> {
            for (long due = begin; due - start < TimeUnit.SECONDS.toNanos(time); ) {
              while (System.nanoTime() - due < 0) {
                LockSupport.parkNanos(due - System.nanoTime());
              }
              long sent = System.nanoTime();
              contender.perform(number.getAndIncrement());
              latency.recordValue(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - sent));
              due = Math.max(sent, due + TimeUnit.SECONDS.toNanos(SENDERS) / perSecond);
            }
          }));
    }
    for (Thread each : senders) {
      each.join();
    }
    double took = (System.nanoTime() - start) / 1e9;
    to.add("p50 ms" + when, latency.getValueAtPercentile(50) / MICROS_PER_MILLI);
    to.add("p99 ms" + when, latency.getValueAtPercentile(99) / MICROS_PER_MILLI);
    to.add("performed/s" + when, latency.getTotalCount() / took);
    to.add("PostgreSQL's CPU %" + when, 100 * (postgres.cpuSeconds() - cpu) / took);
    return number.get();
  }

  @Override
  protected List<String> targets() {
    return List.of(
        "p99 ms at the end : p99 ms before of forebay <= 1.5",
        "PostgreSQL's CPU % at the end : PostgreSQL's CPU % before of forebay <= 1.5");
  }
}
