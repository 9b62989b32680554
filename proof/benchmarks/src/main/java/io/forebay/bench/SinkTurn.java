/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.SinkTable.Commits;
import io.forebay.kafka.KafkaBackend;
import io.forebay.kafka.broker.BrokerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * One turn of a contender: its topic is filled, then its process starts and moves the rows to an
 * empty table, first as fast as it can and then at a fixed rate. The first rows are the warm-up. At
 * the end every row must be there once with its values, and every result.
 */
final class SinkTurn {

  private static final long LOOK_NANOS = 100_000_000;
  private static final long PATIENCE_NANOS = 120_000_000_000L;

  /**
   * The size of a turn.
   *
   * @param rows measured for throughput, after those of the warm-up
   * @param perSecond the rate of further rows, whose latency is measured
   */
  record Extent(long warmup, long rows, long perSecond, double seconds) {

    long preloaded() {
      return warmup + rows;
    }

    long all() {
      return preloaded() + (long) (perSecond * seconds);
    }
  }

  private final Testbed testbed;
  private final Postgres postgres;
  private final BrokerProcess broker;
  private final Path connectClassPath;
  private final List<String> jvmOptions;
  private final SinkContender contender;
  private final Extent extent;
  private final CpuSamples cpu = new CpuSamples();

  SinkTurn(
      Testbed testbed,
      Postgres postgres,
      BrokerProcess broker,
      Path connectClassPath,
      List<String> jvmOptions,
      SinkContender contender,
      Extent extent) {
    this.testbed = testbed;
    this.postgres = postgres;
    this.broker = broker;
    this.connectClassPath = connectClassPath;
    this.jvmOptions = jvmOptions;
    this.contender = contender;
    this.extent = extent;
  }

  /**
   * @param name the unique name of its topics, its folder and its database
   */
  Rounds take(String name) throws Exception {
    Rounds figures = new Rounds();
    String url = postgres.create(name);
    try (SinkTable table = new SinkTable(url);
        SinkFeed feed = feed(name)) {
      table.create();
      for (long number = 0; number < extent.preloaded(); number++) {
        feed.send(number);
      }
      feed.flush();
      figures.add(SinkFigure.BYTES, (double) topicBytes(name) / extent.preloaded());
      try (SinkProcess process = start(name, url)) {
        awaitRow(process, table, extent.preloaded() - 1);
        sendAtRate(feed);
        awaitRow(process, table, extent.all() - 1);
        table.mustHold(extent.all());
        if (contender.format() == SinkContender.Format.FOREBAY) {
          new SinkResults(options(name), contender).mustBe(extent.all());
        }
      }
      measure(table, figures);
    }
    postgres.drop(name);
    return figures;
  }

  private SinkFeed feed(String name) {
    return contender.format() == SinkContender.Format.FOREBAY
        ? new ForebayFeed(options(name))
        : new JsonFeed(broker.bootstrap(), topic(name));
  }

  private KafkaBackend.Options options(String name) {
    return KafkaBackend.Options.of(broker.bootstrap()).withPrefix(name + ".");
  }

  private String topic(String name) {
    return name
        + "."
        + (contender.format() == SinkContender.Format.FOREBAY
            ? SinkService.NAME + ".in"
            : "orders");
  }

  private long topicBytes(String name) throws IOException {
    return QueueBytes.used(List.of(testbed.brokerData().resolve(topic(name) + "-0")));
  }

  private SinkProcess start(String name, String url) throws IOException {
    Path folder = testbed.newFolder(name);
    if (contender.format() == SinkContender.Format.JSON) {
      return SinkProcess.connect(
          testbed, folder, connectClassPath, broker.bootstrap(), topic(name), url);
    }
    Map<String, String> place = new LinkedHashMap<>();
    place.put("bootstrap", broker.bootstrap());
    place.put("prefix", options(name).prefix());
    place.put("postgres", url);
    return SinkProcess.forebay(testbed, folder, jvmOptions, contender, place);
  }

  /** Waits until the row is in the table; samples the CPU time meanwhile. */
  private void awaitRow(SinkProcess process, SinkTable table, long number)
      throws IOException, SQLException {
    long start = System.nanoTime();
    boolean there = false;
    while (!there) {
      there = table.endsWith(number);
      cpu.add(
          SinkTable.nowMicros(),
          new CpuSamples.Sample(
              process.cpuSeconds(),
              postgres.cpuSeconds(),
              SinkProcess.cpuSeconds(ProcessHandle.of(broker.pid()).orElseThrow())));
      process.mustLive();
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw process.broken(
            "has not brought row %,d within %d s"
                .formatted(number, PATIENCE_NANOS / 1_000_000_000));
      }
      if (!there) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
    }
  }

  private void sendAtRate(SinkFeed feed) {
    long start = System.nanoTime();
    long count = extent.all() - extent.preloaded();
    for (long i = 0; i < count; i++) {
      long due = start + i * 1_000_000_000 / extent.perSecond();
      long left;
      while ((left = due - System.nanoTime()) > 0) {
        LockSupport.parkNanos(left);
      }
      feed.send(extent.preloaded() + i);
    }
    feed.flush();
  }

  private void measure(SinkTable table, Rounds figures) throws SQLException {
    Commits commits = table.commits(extent.warmup(), extent.preloaded());
    figures.add(SinkFigure.PER_SECOND, commits.rowsPerSecond());
    CpuSamples.Sample used = cpu.between(commits.fromMicros(), commits.toMicros());
    double millions = commits.rows() / 1e6;
    add(figures, SinkFigure.CPU, used.sink() / millions);
    add(figures, SinkFigure.DATABASE_CPU, used.database() / millions);
    add(figures, SinkFigure.BROKER_CPU, used.broker() / millions);
    double[] millis =
        table.appendToCommitMillis(extent.preloaded(), extent.all(), 0.5, 0.9, 0.99, 1);
    figures.add(SinkFigure.P50, millis[0]);
    figures.add(SinkFigure.P90, millis[1]);
    figures.add(SinkFigure.P99, millis[2]);
    figures.add(SinkFigure.MAX, millis[3]);
  }

  private static void add(Rounds figures, String figure, double value) {
    if (!Double.isNaN(value)) {
      figures.add(figure, value);
    }
  }
}
