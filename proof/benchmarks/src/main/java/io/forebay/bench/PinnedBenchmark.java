/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
final class PinnedBenchmark {

  private static final String P50 = "p50Millis";
  private static final String P99 = "p99Millis";
  private static final String CPU = "databaseCpuPercent";
  private static final String RATE = "performedPerSecond";
  private static final String BEFORE = " before";
  private static final String AT_END = " at the end";

  static final FigureTable TABLE =
      FigureTable.of("contender")
          .one("p50 ms before", P50 + BEFORE, "%,.2f")
          .one("at the end", P50 + AT_END, "%,.2f")
          .one("p99 ms before", P99 + BEFORE, "%,.2f")
          .one("at the end", P99 + AT_END, "%,.2f")
          .one("performed/s before", RATE + BEFORE, "%,.0f")
          .one("at the end", RATE + AT_END, "%,.0f")
          .one("PostgreSQL's CPU % before", CPU + BEFORE, "%,.1f")
          .one("at the end", CPU + AT_END, "%,.1f");

  private static final double MICROS_PER_MILLI = 1_000;
  private static final double MOST = 1.5;
  private static final int SENDERS = 8;

  private final int perSecond;
  private final long seconds;
  private final long window;
  private final List<String> contenders;
  private final Map<String, Rounds> figures = new LinkedHashMap<>();

  private PinnedBenchmark(Options options) {
    boolean brief = options.has("short");
    perSecond = Math.toIntExact(options.count("rate").orElse(400L));
    seconds = options.count("seconds").orElse(brief ? 6L : 1_800L);
    window = Math.min(brief ? 3 : 60, seconds);
    contenders =
        options.text("only").map(it -> List.of(it.split(","))).orElse(PinnedContender.NAMES);
    for (String name : contenders) {
      if (!PinnedContender.NAMES.contains(name)) {
        throw new UsageError(
            "contender '%s' does not exist (known: %s)".formatted(name, PinnedContender.NAMES));
      }
    }
  }

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(arguments, Set.of("short"), Set.of("out", "rate", "seconds", "only"));
    Path out = Path.of(options.required("out"));
    PinnedBenchmark benchmark = new PinnedBenchmark(options);
    benchmark.run(Files.createDirectories(out).toAbsolutePath());
  }

  private void run(Path out) throws Exception {
    Map<String, Object> machine = Machine.describe(out);
    try (Testbed testbed = new Testbed(out, true)) {
      machine.put("postgresql", testbed.postgres().settings());
      for (String name : contenders) {
        measure(name, testbed);
      }
    }
    System.out.println(TABLE.text(figures));
    System.out.println(Target.table(targets(), figures));
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("contenders", Rounds.json(figures));
    json.put("targets", targets().stream().map(it -> it.json(figures)).toList());
    json.put("machine", machine);
    json.put("statementsPerSecond", perSecond);
    json.put("seconds", seconds);
    ResultFiles.write(
        out,
        "pinned",
        json,
        "A transaction that stays open",
        List.of(
            BarPanel.medians(
                "PostgreSQL's CPU % at the end", figures, CPU + AT_END, PinnedContender.FOREBAY)));
  }

  private void measure(String name, Testbed testbed) throws Exception {
    Postgres postgres = testbed.postgres();
    String url = postgres.create(name.replace('-', '_'));
    TargetTables tables = TargetTables.inPostgresql(url);
    tables.create();
    tables.grantTo(Postgres.GATEWAY);
    Rounds of = new Rounds();
    figures.put(name, of);
    try (PinnedContender contender = PinnedContender.open(name, testbed.newFolder(name), url);
        Connection other = tables.connect();
        Statement statement = other.createStatement()) {
      long sent = measure(contender, postgres, 0, window, BEFORE, new Rounds()); // a warm-up
      sent = measure(contender, postgres, sent, window, BEFORE, of);
      other.setAutoCommit(false);
      other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.execute("select 1 from orders limit 1");
      if (seconds > window) {
        sent = measure(contender, postgres, sent, seconds - window, AT_END, new Rounds());
      }
      sent = measure(contender, postgres, sent, window, AT_END, of);
      other.rollback();
      long rows = tables.contents().rows();
      if (rows != sent) {
        throw new IllegalStateException(
            "%s: %,d statements sent, %,d performed".formatted(name, sent, rows));
      }
    }
    postgres.drop(name.replace('-', '_'));
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
    to.add(CPU + when, 100 * (postgres.cpuSeconds() - cpu) / took);
    to.add(RATE + when, latency.getTotalCount() / took);
    to.add(P50 + when, latency.getValueAtPercentile(50) / MICROS_PER_MILLI);
    to.add(P99 + when, latency.getValueAtPercentile(99) / MICROS_PER_MILLI);
    return number.get();
  }

  private static List<Target> targets() {
    String forebay = PinnedContender.FOREBAY;
    return List.of(
        new Target(
            "99 % at the end : before",
            Target.within(forebay, P99 + AT_END, P99 + BEFORE), Target.Sense.AT_MOST, MOST),
        new Target(
            "PostgreSQL's CPU at the end : before",
            Target.within(forebay, CPU + AT_END, CPU + BEFORE),
            Target.Sense.AT_MOST,
            MOST));
  }
}
