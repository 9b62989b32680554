/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.OrderTable.Count;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Puts load on one contender and checks that every acknowledged order became a row; otherwise the
 * benchmark fails.
 */
final class IngestRun {

  private static final Duration POLL = Duration.ofMillis(100);

  /** The longest time without a new row after a kill; what is missing then is lost. */
  private static final Duration AFTER_KILL = Duration.ofSeconds(20);

  private final Product product;
  private final Postgres postgres;
  private final OrderTable orders;
  private final Load load;
  private final Load streams;
  private final int connections;
  private final Duration patience;
  private long number;

  /**
   * @param streams sends what comes as streams
   * @param patience how long a backlog may make no progress before it counts as lost
   */
  IngestRun(
      Product product,
      Postgres postgres,
      OrderTable orders,
      Load load,
      Load streams,
      int connections,
      Duration patience) {
    this.product = product;
    this.postgres = postgres;
    this.orders = orders;
    this.load = load;
    this.streams = streams;
    this.connections = connections;
    this.patience = patience;
  }

  /**
   * Runs the load, waits until the backlog is performed, and counts.
   *
   * @throws Mismatch if rows and acknowledgements differ
   */
  Rounds run(String path, boolean inserts, double seconds)
      throws IOException, InterruptedException, SQLException {
    long run = ++number;
    double serverBefore = product.cpuSeconds();
    double databaseBefore = postgres.cpuSeconds();
    LoadRequest request =
        new LoadRequest("127.0.0.1:" + product.port(), path, product.token(), run);
    Load from = path.startsWith(StreamLoad.PREFIX) ? streams : load;
    LoadResult result = from.run(product.port(), connections, seconds, request);
    if (result.acknowledged() == 0) {
      throw new IllegalStateException(
          "%s acknowledged no order (refused=%,d, lost=%,d); the end of the product's log:%n%s"
              .formatted(path, result.refused(), result.lost(), product.endOfLog()));
    }
    double serverCpu = product.cpuSeconds() - serverBefore;
    double databaseCpu = postgres.cpuSeconds() - databaseBefore;
    Rounds figures = figures(result);
    figures.add(IngestFigure.SERVER_CORES, serverCpu / result.seconds());
    figures.add(IngestFigure.DATABASE_CORES, databaseCpu / result.seconds());
    figures.add(IngestFigure.GENERATOR_CORES, result.cpuSeconds() / result.seconds());
    if (inserts) {
      double drain = drain(run, result.acknowledged(), patience);
      figures.add(IngestFigure.DRAIN, drain);
      figures.add(
          IngestFigure.PERFORMED_PER_SECOND, result.acknowledged() / (result.seconds() + drain));
      Count count = orders.count(run);
      Mismatch.check(path, result, count);
      figures.add(IngestFigure.ROWS, count.rows());
    }
    double server = 1e6 * (product.cpuSeconds() - serverBefore) / result.acknowledged();
    double database = 1e6 * (postgres.cpuSeconds() - databaseBefore) / result.acknowledged();
    double generator = 1e6 * result.cpuSeconds() / result.acknowledged();
    figures.add(IngestFigure.SERVER_MICROS, server);
    figures.add(IngestFigure.DATABASE_MICROS, database);
    figures.add(IngestFigure.ALL_MICROS, server + database + generator);
    orders.clear();
    return figures;
  }

  /**
   * Kills the product in the middle of a load and starts it again.
   *
   * @return how many acknowledged orders never became rows; at least, because orders that were not
   *     acknowledged may have become rows
   */
  long lostOnKill(String path, double seconds)
      throws IOException, InterruptedException, SQLException {
    long run = ++number;
    LoadRequest request =
        new LoadRequest("127.0.0.1:" + product.port(), path, product.token(), run);
    Thread killer = Thread.startVirtualThread(() -> product.killAfter(seconds / 2));
    LoadResult result = load.run(product.port(), connections, seconds, request);
    killer.join();
    product.startAgain();
    drain(run, result.acknowledged(), AFTER_KILL);
    Count count = orders.count(run);
    orders.clear();
    return Math.max(0, result.acknowledged() - count.ids());
  }

  private static Rounds figures(LoadResult result) {
    Rounds figures = new Rounds();
    figures.add(IngestFigure.PER_SECOND, result.requestsPerSecond());
    figures.add(IngestFigure.REQUESTS, result.acknowledged());
    figures.add(IngestFigure.MEAN, result.meanMillis());
    figures.add(IngestFigure.STDEV, result.stdevMillis());
    figures.add(IngestFigure.P50, result.p50Millis());
    figures.add(IngestFigure.P90, result.p90Millis());
    figures.add(IngestFigure.P99, result.p99Millis());
    figures.add(IngestFigure.P999, result.p999Millis());
    figures.add(IngestFigure.MAX, result.maxMillis());
    figures.add(IngestFigure.REFUSED, result.refused());
    figures.add(IngestFigure.LOST, result.lost());
    return figures;
  }

  /** Waits for the backlog; returns the seconds. Ends early when no more rows arrive. */
  private double drain(long run, long expected, Duration patience)
      throws SQLException, InterruptedException {
    long start = System.nanoTime();
    long progress = start;
    long rows = orders.rows(run);
    while (rows < expected && System.nanoTime() - progress < patience.toNanos()) {
      Thread.sleep(POLL);
      long now = orders.rows(run);
      if (now > rows) {
        progress = System.nanoTime();
      }
      rows = now;
    }
    return (System.nanoTime() - start) / 1e9;
  }

  /** The rows differ from the acknowledged orders. */
  static final class Mismatch extends IllegalStateException {

    private static final long serialVersionUID = 1;

    private Mismatch(String message) {
      super(message);
    }

    /** Checks the count. A lost request may have become a row or not; all others are certain. */
    static void check(String path, LoadResult result, Count count) {
      boolean exact = count.rows() == count.ids();
      boolean complete =
          count.rows() >= result.acknowledged()
              && count.rows() <= result.acknowledged() + result.lost();
      if (!exact || !complete) {
        throw new Mismatch(
            "%s acknowledged %,d orders (lost=%,d, refused=%,d); the table has %,d rows of %,d orders"
                .formatted(
                    path,
                    result.acknowledged(),
                    result.lost(),
                    result.refused(),
                    count.rows(),
                    count.ids()));
      }
    }
  }
}
