/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * The same number of jobs, which wait before the clock starts, performed with one PostgreSQL. The
 * jobs of Forebay insert an order and have a result; those of the others do nothing. A bystander
 * reads a row by its key all the while.
 */
final class QueuesBenchmark extends Benchmark {

  private static final long LOOK_NANOS = 10_000_000;

  private final long jobs;
  private final List<QueuesContender> contenders;

  QueuesBenchmark(Options options) {
    super(options);
    jobs = options.count("jobs").orElse(brief ? 2_000L : 200_000L);
    contenders = only(QueuesContender.values());
    contenders.forEach(QueuesContender::check);
  }

  @Override
  protected void run(Path out) throws Exception {
    try (Testbed testbed = testbed(out, Map.of())) {
      rotate(rounds(5), contenders, it -> measure(it, testbed));
    }
  }

  private Rounds measure(QueuesContender kind, Testbed testbed) throws Exception {
    Postgres postgres = testbed.postgres();
    String name = title(kind).replace('-', '_');
    String url = postgres.create(name);
    Path folder = testbed.newFolder(name);
    Database database = Postgres.dataSource(url, Postgres.OWNER)::getConnection;
    database.execute(
        "create table bystander (id int primary key, n int)",
        "insert into bystander select i, 0 from generate_series(0, 999) i");
    Rounds figures = new Rounds();
    try (QueuesContender.Queue queue = kind.open(testbed, folder, url)) {
      queue.write(jobs);
      database.execute("checkpoint");
      double wal = wal(database);
      double cpu = postgres.cpuSeconds();
      Histogram waits = new Histogram(3);
      long start = System.nanoTime();
      FutureTask<Void> performing =
          new FutureTask<>(() -> {
            queue.perform();
            return null;
          });
      Thread.ofPlatform().name("performing").start(performing);
      bystand(database, performing, waits);
      double seconds = (System.nanoTime() - start) / 1e9;
      performing.get();
      figures
          .add("jobs/s", jobs / seconds)
          .add("PostgreSQL's CPU µs", (postgres.cpuSeconds() - cpu) * 1e6 / jobs)
          .add("WAL bytes", (wal(database) - wal) / jobs)
          .add("bystander p50 ms", waits.getValueAtPercentile(50) / 1e6)
          .add("bystander p99 ms", waits.getValueAtPercentile(99) / 1e6);
    }
    // The statistics of a backend are complete when it has ended.
    double dead = database.row("select sum(n_dead_tup) from pg_stat_user_tables")[0];
    postgres.drop(name);
    Testbed.delete(folder);
    return figures.add("dead tuples", dead / jobs);
  }

  private static double wal(Database database) throws Exception {
    return database.row("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")[0];
  }

  /** Reads a row again and again until the jobs are performed. */
  private static void bystand(Database database, Future<?> until, Histogram waits)
      throws Exception {
    try (Connection connection = database.connect();
        PreparedStatement read =
            connection.prepareStatement("select n from bystander where id = ?")) {
      for (int id = 0; !until.isDone(); id = (id + 1) % 1_000) {
        long asked = System.nanoTime();
        read.setInt(1, id);
        read.executeQuery().close();
        waits.recordValue(System.nanoTime() - asked);
        LockSupport.parkNanos(LOOK_NANOS);
      }
    }
  }

  @Override
  protected List<String> targets() {
    return contenders.stream()
        .filter(it -> it != QueuesContender.FOREBAY)
        .flatMap(it ->
            List.of(
                "jobs/s of forebay : " + title(it) + " >= 1",
                "WAL bytes of forebay : " + title(it) + " <= 1")
                .stream())
        .toList();
  }
}
