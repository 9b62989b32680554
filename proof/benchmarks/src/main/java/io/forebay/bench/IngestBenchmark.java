/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.OrderTable.Count;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Orders sent over HTTP on many concurrent connections; each connection sends its next order when
 * the last was answered.
 *
 * <p>All contenders are endpoints of one process, the product's own, so that they share its web
 * server, its heap and its JIT profiles. The order of their turns rotates by one each round; the
 * backlog of one is performed before the next begins, and every acknowledged order must be a row.
 */
final class IngestBenchmark extends Benchmark {

  /** Acknowledged requests per second, from the first request to the last answer. */
  static final String PER_SECOND = "requests/s";

  static final String P99 = "p99 ms";

  /** CPU time per acknowledged order of product, database and generator, until each is a row. */
  static final String ALL_MICROS = "CPU µs: all";

  static final String DATABASE_MICROS = "CPU µs: database";

  private static final String DATABASE = "ingest";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(100);

  /**
   * Ways to handle a POST with an order, all in the same process. The requests of the door take the
   * service's shortcut past the filter chain and the dispatcher, as they do in production.
   */
  private enum Contender {
    /** Inserts and commits, then answers. The better one of its two pools is determined first. */
    DIRECT_INSERT("/bench/direct/10", "/bench/direct/20"),

    /** The door: answers 202 when the order is accepted at level disk. */
    FOREBAY_QUEUED(Product.DOOR),

    /** The door: four streams of lines, acknowledged in groups at level disk. */
    FOREBAY_STREAM(StreamLoad.PREFIX + Product.DOOR),

    /** Reads the body and answers. */
    EMPTY_HANDLER("/bench/empty");

    private final List<String> paths;

    Contender(String... paths) {
      this.paths = List.of(paths);
    }
  }

  private final List<Contender> contenders;
  private final int connections;
  private final int roundCount;
  private final double seconds;
  private final double warmupSeconds;
  private final double delayMillis;
  private final Path jar;
  private final Map<Contender, String> paths = new EnumMap<>(Contender.class);
  private long number;

  IngestBenchmark(Options options) {
    super(options);
    contenders = only(Contender.values());
    connections = Math.toIntExact(options.count("connections").orElse(100L));
    roundCount = options.count("rounds").orElse(brief ? 2L : 5L).intValue();
    seconds = options.count("seconds").orElse(brief ? 5L : 20L);
    // The JIT compiler needs at least 20 seconds for the HTTP door.
    double usual = brief ? 20 : 30;
    warmupSeconds = options.has("seconds") ? Math.min(seconds, usual) : usual;
    delayMillis = options.amount("delay").orElse(0.0);
    jar = Product.jar(options);
  }

  @Override
  protected void run(Path out) throws Exception {
    try (Testbed testbed = testbed(out, Map.of())) {
      Postgres postgres = testbed.postgres();
      String url = postgres.create(DATABASE);
      OrderTable orders = new OrderTable(url);
      try (Load load = new Load(testbed);
          DelayProxy proxy = new DelayProxy(postgres.port(), delayMillis);
          Product product =
              Product.onPostgres(
                  testbed,
                  jar,
                  options.words("jvm"),
                  delayMillis == 0 ? url : Postgres.url(proxy.port(), DATABASE),
                  Map.of())) {
        for (Contender contender : contenders) {
          double best = -1;
          for (String path : contender.paths) {
            System.out.printf("warm-up %s %s%n", title(contender), path);
            Rounds warmup = measure(load, product, postgres, orders, path, warmupSeconds);
            System.out.println("    " + warmup);
            if (warmup.median(PER_SECOND) > best) {
              best = warmup.median(PER_SECOND);
              paths.put(contender, path);
            }
          }
        }
        rotate(
            roundCount,
            contenders,
            it -> measure(load, product, postgres, orders, paths.get(it), seconds));
      }
    }
  }

  /** Runs the load, waits until the backlog is performed, and counts. */
  private Rounds measure(
      Load load, Product product, Postgres postgres, OrderTable orders, String path, double seconds)
      throws Exception {
    long run = ++number;
    double serverBefore = product.cpuSeconds();
    double databaseBefore = postgres.cpuSeconds();
    Rounds result = load.run(connections, seconds, product.orders(path, run));
    double acknowledged = result.median(Load.ACKNOWLEDGED);
    double lost = result.median(Load.LOST);
    if (acknowledged == 0) {
      throw product.broken("acknowledged no order at " + path + " (" + result + ")");
    }
    Rounds figures = new Rounds();
    figures.add(PER_SECOND, acknowledged / result.median(Load.SECONDS));
    for (String it : List.of("p50 ms", P99, "max ms", Load.REFUSED, Load.LOST)) {
      figures.add(it, result.median(it));
    }
    if (!path.equals(Contender.EMPTY_HANDLER.paths.getFirst())) {
      double drain = drain(orders, run, acknowledged);
      figures.add("drain s", drain);
      figures.add("performed/s", acknowledged / (result.median(Load.SECONDS) + drain));
      check(path, acknowledged, lost, orders.count(run));
    }
    double server = 1e6 * (product.cpuSeconds() - serverBefore) / acknowledged;
    double database = 1e6 * (postgres.cpuSeconds() - databaseBefore) / acknowledged;
    double generator = 1e6 * result.median(Load.CPU_SECONDS) / acknowledged;
    orders.clear();
    return figures
        .add(ALL_MICROS, server + database + generator)
        .add("CPU µs: server", server)
        .add(DATABASE_MICROS, database);
  }

  /** Waits for the backlog; returns the seconds. Ends early when no more rows arrive. */
  private static double drain(OrderTable orders, long run, double expected) throws Exception {
    long start = System.nanoTime();
    long progress = start;
    long rows = orders.rows(run);
    while (rows < expected && System.nanoTime() - progress < PATIENCE.toNanos()) {
      Thread.sleep(POLL);
      long now = orders.rows(run);
      if (now > rows) {
        progress = System.nanoTime();
      }
      rows = now;
    }
    return (System.nanoTime() - start) / 1e9;
  }

  /**
   * Checks the count. A lost request may have become a row or not; all others are certain.
   *
   * @throws IllegalStateException if rows and acknowledgements differ
   */
  static void check(String path, double acknowledged, double lost, Count count) {
    boolean exact = count.rows() == count.ids();
    boolean complete = count.rows() >= acknowledged && count.rows() <= acknowledged + lost;
    if (!exact || !complete) {
      throw new IllegalStateException(
          "%s acknowledged %.0f orders (lost=%.0f); the table has %d rows of %d orders"
              .formatted(path, acknowledged, lost, count.rows(), count.ids()));
    }
  }

  @Override
  protected Set<String> ranges() {
    return Set.of(PER_SECOND);
  }

  @Override
  protected List<String> targets() {
    return targets(delayMillis > 0);
  }

  /**
   * @param delayed whether each round trip to the database takes longer
   */
  static List<String> targets(boolean delayed) {
    return delayed
        ? List.of(
            "requests/s of forebay-queued : direct-insert >= 6",
            "p99 ms of forebay-queued : direct-insert <= 1/3")
        : List.of(
            "requests/s of forebay-queued : direct-insert >= 5",
            "requests/s of forebay-queued : empty-handler >= 0.7",
            "CPU µs: all of forebay-queued : empty-handler <= 2",
            "CPU µs: database of forebay-queued : direct-insert <= 0.08");
  }
}
