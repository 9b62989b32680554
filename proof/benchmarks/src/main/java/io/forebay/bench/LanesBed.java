/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.call.Writer;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.Pending;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.jdbc.lane.Shares;
import io.forebay.queue.QueueRefused;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Two lanes on one PostgreSQL, with weights 1 and 3, and their callers. Backlogs are updates of
 * single rows; the caller at a low rate inserts. For one thread.
 */
final class LanesBed implements AutoCloseable {

  static final String P50 = "p50 ms";
  static final String P99 = "p99 ms";
  static final String MAX = "max ms";
  static final String TOTAL = "performed/s";
  static final String RATIO = "share, heavy : light";

  private static final int ROWS = 1_000;
  private static final int PER_SECOND = 100;
  private static final int HEAVY = 3;
  private static final long FULL_NANOS = 1_000_000;
  private static final long LOOK_NANOS = 2_000_000;
  private static final double MICROS_PER_MILLI = 1_000;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String ADD = "update accounts set amount = amount + ? where id = ?";

  private final TargetTables tables;
  private final ChronicleBackend backend;
  private final JDBCService light;
  private final JDBCService heavy;
  private long number;

  private LanesBed(TargetTables tables, ChronicleBackend backend, String url) {
    this.tables = tables;
    this.backend = backend;
    Shares shares = new Shares();
    light = service("light", 1, shares, url);
    heavy = service("heavy", HEAVY, shares, url);
  }

  static LanesBed open(Path folder, String url) throws SQLException {
    TargetTables tables = TargetTables.inPostgresql(url);
    tables.grantTo(Postgres.GATEWAY);
    tables
        .database()
        .execute(
            "create table accounts (id bigint primary key, amount double precision)"
                + " with (fillfactor=50)",
            "insert into accounts select id, 0 from generate_series(1, " + 2 * ROWS + ") id",
            "grant select, update on accounts to " + Postgres.GATEWAY);
    return new LanesBed(
        tables, ChronicleBackend.open(folder, ChronicleBackend.Options.defaults()), url);
  }

  private JDBCService service(String name, int weight, Shares shares, String url) {
    JDBCService service =
        Postgres.databaseOf(JDBCService.builder(name).queues(backend, 1), url)
            .share(shares.add(weight))
            .build();
    service.start();
    return service;
  }

  /** The caller at a low rate, without a backlog anywhere. */
  void alone(double seconds, Rounds figures) throws Exception {
    tables.clear();
    long end = System.nanoTime() + (long) (seconds * 1e9);
    addTo(figures, send(heavy, () -> System.nanoTime() - end >= 0));
  }

  /** The caller at a low rate, beside a backlog in the same queue or in the other lane. */
  void beside(long backlog, boolean ownLane, Rounds figures) throws Exception {
    tables.clear();
    write(light, backlog, 1);
    long end = end(light);
    long start = System.nanoTime();
    light.resume();
    Histogram latency = send(ownLane ? heavy : light, () -> light.position(0) >= end);
    double took = (System.nanoTime() - start) / 1e9;
    figures.add(TOTAL, (backlog + latency.getTotalCount()) / took);
    addTo(figures, latency);
  }

  /** A backlog in each lane. How many statements of each are performed when one has no more. */
  void twoBacklogs(long backlog, Rounds figures) throws Exception {
    tables.clear();
    write(light, backlog, 1);
    write(heavy, backlog, 1 + ROWS); // the lanes do not wait for each other's locks
    long lightStart = light.position(0);
    long heavyStart = heavy.position(0);
    long lightEnd = end(light);
    long heavyEnd = end(heavy);
    long start = System.nanoTime();
    light.resume();
    heavy.resume();
    await(() -> light.position(0) >= lightEnd || heavy.position(0) >= heavyEnd);
    double took = (System.nanoTime() - start) / 1e9;
    double ofLight = light.position(0) - lightStart;
    double ofHeavy = heavy.position(0) - heavyStart;
    figures.add(RATIO, ofHeavy / ofLight);
    figures.add(TOTAL, (ofHeavy + ofLight) / took);
    await(() -> light.position(0) >= lightEnd && heavy.position(0) >= heavyEnd);
  }

  private static long end(JDBCService service) {
    return service.in().stats(0).end().orElseThrow();
  }

  private static void await(BooleanSupplier done) throws TimeoutException {
    long start = System.nanoTime();
    while (!done.getAsBoolean()) {
      if (System.nanoTime() - start > PATIENCE.toNanos()) {
        throw new TimeoutException("the statements were not performed in " + PATIENCE);
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /** Pauses the service and writes a backlog that changes {@link #ROWS} rows. */
  private static void write(JDBCService service, long count, long firstRow) {
    service.pause("the backlog is written first");
    try (Writer<JDBCStatement> writer = service.createWriter()) {
      for (long i = 0; i < count; i++) {
        write(writer.calls(), firstRow + i % ROWS);
      }
    }
  }

  private static void write(JDBCStatement calls, long row) {
    while (true) {
      try {
        calls.executeUpdate(ADD, 0.25, row);
        return;
      } catch (QueueRefused e) {
        if (e.reason() != QueueRefused.Reason.FULL) {
          throw e;
        }
        LockSupport.parkNanos(FULL_NANOS);
      }
    }
  }

  /**
   * Sends statements at the low rate until {@code done}, and waits for their results.
   *
   * @return the time of each from its acceptance to its result, in microseconds
   */
  private Histogram send(JDBCService service, BooleanSupplier done) throws Exception {
    Histogram latency = new ConcurrentHistogram(3);
    List<Thread> waiting = new ArrayList<>();
    try (StatementClient client = service.createClient()) {
      long start = System.nanoTime();
      for (long i = 0; !done.getAsBoolean(); i++) {
        long due = start + i * TimeUnit.SECONDS.toNanos(1) / PER_SECOND;
        while (System.nanoTime() - due < 0) {
          LockSupport.parkNanos(due - System.nanoTime());
        }
        Pending<Long> sent = client.executeUpdate(Burst.INSERT, number++, "customer", 0.25);
        waiting.add(Thread.startVirtualThread(() -> record(sent, latency)));
      }
      for (Thread each : waiting) {
        each.join();
      }
    }
    if (latency.getTotalCount() != waiting.size()) {
      throw new IllegalStateException(
          "%,d of %,d statements have a result".formatted(latency.getTotalCount(), waiting.size()));
    }
    return latency;
  }

  private static void record(Pending<Long> sent, Histogram latency) {
    try {
      sent.awaitAccepted(PATIENCE);
      long accepted = System.nanoTime();
      sent.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      latency.recordValue(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - accepted));
    } catch (Exception e) {
      e.printStackTrace(); // the count of results is checked
    }
  }

  private static void addTo(Rounds figures, Histogram latency) {
    figures.add(P50, latency.getValueAtPercentile(50) / MICROS_PER_MILLI);
    figures.add(P99, latency.getValueAtPercentile(99) / MICROS_PER_MILLI);
    figures.add(MAX, latency.getMaxValue() / MICROS_PER_MILLI);
  }

  @Override
  public void close() {
    light.close();
    heavy.close();
    backend.close();
  }
}
