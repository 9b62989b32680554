/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.outbox.OutboxApplication;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * One contender of the outbox benchmark in its own process: the application writes all messages,
 * starts again, and hands them over. The first tenth of each is the warm-up.
 */
final class OutboxTrial {

  static final String COMMAND = "outbox-trial";
  static final String WRITTEN = "written";
  static final String HANDED_OVER = "handed over";

  private static final int TRANSACTION = 100;
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

  private final Options options;
  private final OutboxContender contender;
  private final long rows;
  private final Database database;
  private final ProcessHandle server;
  private final Rounds figures = new Rounds();

  private OutboxTrial(Options options) throws SQLException {
    this.options = options;
    contender = Benchmark.named(options.required("contender"), OutboxContender.values());
    rows = options.count("rows").orElseThrow();
    database = Postgres.dataSource(options.required("postgres"), Postgres.OWNER)::getConnection;
    try (Connection connection = database.connect()) {
      long backend = (long) Database.row(connection, "select pg_backend_pid()")[0];
      server = ProcessHandle.of(backend).flatMap(ProcessHandle::parent).orElseThrow();
    }
  }

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(arguments, "--contender NAME --folder DIR --postgres URL --rows N");
    Testbed.endWithParent();
    OutboxTrial trial = new OutboxTrial(options);
    try (ConfigurableApplicationContext context = trial.start(true)) {
      trial.write(context);
    }
    trial.handOver(trial.start(false).getBean(OutboxApplication.class)); // ends with its process
    System.out.println(trial.figures.line());
  }

  private ConfigurableApplicationContext start(boolean writes) {
    List<String> properties = new ArrayList<>(contender.properties());
    properties.addAll(
        List.of(
            "spring.datasource.url=" + options.required("postgres"),
            "spring.datasource.username=" + Postgres.OWNER,
            "spring.main.banner-mode=off",
            "forebay.data=" + options.required("folder"),
            "outbox.writes=" + writes,
            "outbox.poll=" + (writes ? "1h" : "100ms")));
    return new SpringApplicationBuilder(contender.application())
        .web(WebApplicationType.NONE)
        .registerShutdownHook(false)
        .logStartupInfo(false)
        .properties(properties.toArray(String[]::new))
        .run();
  }

  private void write(ConfigurableApplicationContext context) throws Exception {
    OutboxApplication application = context.getBean(OutboxApplication.class);
    application.hold();
    TransactionTemplate transaction =
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    Sample warm = sample(0);
    for (long id = 0; id < rows; id += TRANSACTION) {
      long from = id;
      if (warm.rows == 0 && id >= rows / 10) {
        warm = sample(id);
      }
      transaction.executeWithoutResult(_ -> {
        for (long each = from; each < Math.min(rows, from + TRANSACTION); each++) {
          application.send(each);
        }
      });
    }
    add(WRITTEN, warm, sample(rows));
    mustWait(application, rows);
    database.execute("vacuum analyze", "checkpoint");
  }

  private void handOver(OutboxApplication application) throws Exception {
    Sample warm = sample(0);
    Thread.ofPlatform().daemon().name("handing-over").start(application::handOver);
    long begun = System.nanoTime();
    for (long done = 0; done < rows; done = application.handedOver()) {
      if (warm.rows == 0 && done >= rows / 10) {
        warm = sample(done);
      }
      if (System.nanoTime() - begun > PATIENCE_NANOS) {
        throw new TimeoutException("%d of %d messages were handed over".formatted(done, rows));
      }
      Thread.sleep(1);
    }
    add(HANDED_OVER, warm, sample(rows));
    mustWait(application, 0);
  }

  private void mustWait(OutboxApplication application, long expected) throws Exception {
    long begun = System.nanoTime();
    long waiting;
    while ((waiting = (long) database.row(application.waiting())[0]) != expected) {
      if (System.nanoTime() - begun > PATIENCE_NANOS / 10) {
        throw new IllegalStateException(
            "%d messages wait, but %d should wait".formatted(waiting, expected));
      }
      Thread.sleep(10);
    }
  }

  private record Sample(long rows, long nanos, double cpu, double serverCpu, double wal) {}

  private Sample sample(long at) throws Exception {
    return new Sample(
        at,
        System.nanoTime(),
        Child.cpuSeconds(ProcessHandle.current()),
        Postgres.cpuSeconds(server),
        database.row("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")[0]);
  }

  private void add(String what, Sample from, Sample to) {
    double count = to.rows - from.rows;
    figures
        .add(what + "/s", count / ((to.nanos - from.nanos) / 1e9))
        .add(what + ": CPU µs", (to.cpu - from.cpu) * 1e6 / count)
        .add(what + ": PostgreSQL's CPU µs", (to.serverCpu - from.serverCpu) * 1e6 / count)
        .add(what + ": WAL bytes", (to.wal - from.wal) / count);
  }
}
