/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.forebay.chronicle.ChronicleBackend.Writing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A queue whose jobs use a PostgreSQL. */
enum QueuesContender {
  FOREBAY(List.of(), "") {
    @Override
    Queue open(Testbed testbed, Path folder, String url) throws SQLException {
      return new Gateway(folder, url);
    }
  },

  DB_SCHEDULER(List.of(), "") {
    @Override
    Queue open(Testbed testbed, Path folder, String url) throws SQLException {
      return new DbScheduler(url);
    }
  },

  /** Its folder needs {@code npm install} before. */
  GRAPHILE_WORKER(List.of("node", "worker.mjs"), "node_modules") {
    @Override
    Queue open(Testbed testbed, Path folder, String url) {
      return new Rival(
          testbed, this, url, "select not exists (select from graphile_worker._private_jobs)");
    }
  },

  /** Its folder needs {@code go build} before. */
  RIVER(List.of("./river"), "river") {
    @Override
    Queue open(Testbed testbed, Path folder, String url) {
      return new Rival(
          testbed,
          this,
          url,
          "select not exists (select from river_job where state <> 'completed')");
    }
  };

  private static final long LOOK_NANOS = 50_000_000;

  private final List<String> command;
  private final String built;

  /**
   * @param command its program, in its folder
   * @param built the file that is there once the program is built
   */
  QueuesContender(List<String> command, String built) {
    this.command = command;
    this.built = built;
  }

  /** Jobs wait in it until they are performed. */
  interface Queue extends AutoCloseable {

    void write(long jobs) throws Exception;

    /** Performs all jobs, and returns when none is left. */
    void perform() throws Exception;

    @Override
    void close() throws Exception;
  }

  abstract Queue open(Testbed testbed, Path folder, String url) throws SQLException;

  private Path folder() {
    return EndpointsJar.module().resolve("rivals").resolve(Benchmark.title(this));
  }

  /**
   * @throws UsageError if its program is not built
   */
  void check() {
    Path file = folder().resolve(built);
    if (!command.isEmpty() && !Files.exists(file)) {
      throw new UsageError(
          "%s is not built: there is no %s; see its folder"
              .formatted(Benchmark.title(this), folder().getParent().relativize(file)));
    }
  }

  /** Waits until a query is true. */
  private static void await(Database database, String done) throws SQLException {
    while (!database.isTrue(done)) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /** Each job inserts an order, and its result is read. */
  private static final class Gateway implements Queue {

    private final Forebay forebay;
    private final Tally tally = new Tally();
    private Burst burst = Burst.plain(0, 0);

    Gateway(Path folder, String url) throws SQLException {
      forebay = Forebay.onPostgresql(folder, url, Writing.DIRECT, Burst.INSERT);
      forebay.hold(true);
    }

    @Override
    public void write(long jobs) {
      burst = Burst.plain(0, jobs);
      forebay.write(burst);
    }

    @Override
    public void perform() throws SQLException {
      tally.expect(burst.count());
      forebay.hold(false);
      while (tally.read() < burst.count()) {
        if (forebay.pollResults(tally) == 0) {
          Thread.onSpinWait();
        }
      }
      forebay.check(burst, tally);
    }

    @Override
    public void close() throws SQLException {
      forebay.close();
    }
  }

  /** In this process, with the strategy that its documents name for the highest rate. */
  private static final class DbScheduler implements Queue {

    private static final int THREADS = 50;

    private final OneTimeTask<Void> task = Tasks.oneTime("nothing").execute((_, _) -> {});
    private final HikariDataSource pool;
    private final Scheduler scheduler;

    DbScheduler(String url) throws SQLException {
      HikariConfig config = new HikariConfig();
      config.setDataSource(Postgres.dataSource(url, Postgres.OWNER));
      config.setMaximumPoolSize(THREADS / 2);
      pool = new HikariDataSource(config);
      Database database = pool::getConnection;
      database.execute(
          "create table scheduled_tasks (task_name text not null, task_instance text not null,"
              + " task_data bytea, execution_time timestamptz not null, picked boolean not null,"
              + " picked_by text, last_success timestamptz, last_failure timestamptz,"
              + " consecutive_failures int, last_heartbeat timestamptz, version bigint not null,"
              + " priority smallint, primary key (task_name, task_instance))",
          "create index on scheduled_tasks (execution_time)",
          "create index on scheduled_tasks (last_heartbeat)");
      scheduler =
          Scheduler.create(pool, task)
              .threads(THREADS)
              .pollUsingLockAndFetch(0.5, 4)
              .pollingInterval(Duration.ofMillis(LOOK_NANOS / 1_000_000))
              .build();
    }

    @Override
    public void write(long jobs) throws SQLException {
      Database database = pool::getConnection;
      database.execute(
          "insert into scheduled_tasks (task_name, task_instance, execution_time, picked, version)"
              + " select 'nothing', i, now(), false, 1 from generate_series(1, %d) i"
                  .formatted(jobs));
    }

    @Override
    public void perform() throws SQLException {
      scheduler.start();
      await(pool::getConnection, "select not exists (select from scheduled_tasks)");
    }

    @Override
    public void close() {
      scheduler.stop();
      pool.close();
    }
  }

  /** A program in another language, in a process of its own, whose start counts. */
  private static final class Rival implements Queue {

    private final Testbed testbed;
    private final QueuesContender kind;
    private final String url;
    private final String done;

    /**
     * @param done a query that is true when no job is left
     */
    Rival(Testbed testbed, QueuesContender kind, String url, String done) {
      this.testbed = testbed;
      this.kind = kind;
      this.url = url;
      this.done = done;
    }

    private Process start(String... arguments) throws IOException {
      List<String> line = new ArrayList<>(kind.command);
      line.add(url.replace("jdbc:postgresql://", "postgres://" + Postgres.OWNER + "@"));
      line.addAll(List.of(arguments));
      return testbed.start(
          new ProcessBuilder(line)
              .directory(kind.folder().toFile())
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.INHERIT));
    }

    @Override
    public void write(long jobs) throws Exception {
      if (start("write", Long.toString(jobs)).waitFor() != 0) {
        throw new IllegalStateException("%s could not write".formatted(Benchmark.title(kind)));
      }
    }

    @Override
    public void perform() throws Exception {
      Process process = start("work");
      await(Postgres.dataSource(url, Postgres.OWNER)::getConnection, done);
      process.destroy();
    }

    @Override
    public void close() {
      // its process has ended
    }
  }
}
