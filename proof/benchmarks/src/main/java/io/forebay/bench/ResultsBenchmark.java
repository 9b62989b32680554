/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Results that subscribers receive as events. Orders arrive at a fixed rate, and each subscriber
 * receives all results. Without subscribers, with one and with many: how long after its commit each
 * subscriber has a result, and what the product takes.
 */
final class ResultsBenchmark {

  static final FigureTable TABLE =
      FigureTable.of("subscribers")
          .one("delivered/s", "deliveredPerSecond", "%,.0f")
          .one("p50 ms", "p50Millis", "%.2f")
          .one("p99 ms", "p99Millis", "%.2f")
          .one("max ms", "maxMillis", "%.1f")
          .one("server cores", "serverCores", "%.2f")
          .one("receiver cores", "receiverCores", "%.2f")
          .one("resident MiB", "residentMebibytes", "%.0f")
          .one("heap MiB", "heapMebibytes", "%.0f");

  private static final double MEBIBYTE = 1 << 20;

  private final int most;
  private final long perSecond;
  private final double seconds;
  private final double warmup;
  private final Map<String, Rounds> rounds = new LinkedHashMap<>();
  private long number = LoadRequest.FIRST;

  private ResultsBenchmark(Options options) {
    boolean brief = options.has("short");
    most = Math.toIntExact(options.count("subscribers").orElse(brief ? 50L : 1_000L));
    perSecond = options.count("rate").orElse(50L);
    seconds = options.count("seconds").orElse(brief ? 3L : 30L);
    warmup = Math.min(seconds, 20);
  }

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(
            arguments, Set.of("short"), Set.of("out", "subscribers", "rate", "seconds", "server"));
    Path out = Path.of(options.required("out"));
    ResultsBenchmark benchmark = new ResultsBenchmark(options);
    benchmark.run(Files.createDirectories(out).toAbsolutePath(), Product.jar(options));
  }

  private void run(Path out, Path server) throws Exception {
    Map<String, Object> machine = Machine.describe(out);
    try (Testbed testbed = new Testbed(out, true)) {
      Postgres postgres = testbed.postgres();
      machine.put("postgresql", postgres.settings());
      String url = postgres.create("results");
      new OrderTable(url).create();
      Map<String, String> settings =
          Map.of("forebay.door.max-subscribers", Integer.toString(2 * most + 1));
      try (Product product = Product.start(testbed, server, List.of(), url, settings)) {
        measure(product, 1, warmup);
        for (int subscribers : new int[] {0, 1, most}) {
          if (subscribers == most) {
            rounds.put(first(), measure(product, most, warmup));
          }
          rounds.put(Integer.toString(subscribers), measure(product, subscribers, seconds));
        }
      }
    }
    System.out.println(TABLE.text(rounds));
    System.out.println(Target.table(targets(), rounds));
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("contenders", Rounds.json(rounds));
    json.put("targets", targets().stream().map(it -> it.json(rounds)).toList());
    json.put("machine", machine);
    json.put("ordersPerSecond", perSecond);
    json.put("seconds", seconds);
    ResultFiles.write(
        out,
        "results",
        json,
        "Results as events",
        List.of(
            BarPanel.medians(
                "Server cores by subscribers", rounds, "serverCores", Integer.toString(most))));
  }

  /** The round in which the JIT compiler sees many subscribers first; it shows their memory. */
  private String first() {
    return most + " (first)";
  }

  private List<Target> targets() {
    String many = Integer.toString(most);
    return List.of(
        new Target(
            "99 %, from commit to delivery, ms",
            figures -> OptionalDouble.of(figures.get(many).median("p99Millis")),
            Target.Sense.AT_MOST,
            10),
        new Target(
            "more resident memory, MiB",
            figures ->
                OptionalDouble.of(
                    Math.max(
                            figures.get(first()).median("residentMebibytes"),
                            figures.get(many).median("residentMebibytes"))
                        - figures.get("1").median("residentMebibytes")),
            Target.Sense.AT_MOST,
            64));
  }

  private Rounds measure(Product product, int subscribers, double time) throws Exception {
    ResultSubscribers receiving = new ResultSubscribers(product.port(), product.token());
    receiving.open(subscribers);
    double cpuBefore = product.cpuSeconds();
    double receiverBefore = receiving.cpuSeconds();
    long start = System.nanoTime();
    long sent = send(product, time);
    receiving.await(sent * subscribers);
    double took = (System.nanoTime() - start) / 1e9;
    Rounds figures = new Rounds();
    figures.add("serverCores", (product.cpuSeconds() - cpuBefore) / took);
    figures.add("receiverCores", (receiving.cpuSeconds() - receiverBefore) / took);
    figures.add("residentMebibytes", product.residentBytes().orElse(0) / MEBIBYTE);
    figures.add("heapMebibytes", product.heap().getOrDefault("usedBytes", 0L) / MEBIBYTE);
    receiving.close();
    receiving.addTo(figures, took);
    return figures;
  }

  /** Sends orders at the rate, and returns how many were accepted, which is all of them. */
  private long send(Product product, double time) throws IOException {
    long count = Math.round(time * perSecond);
    LongAdder accepted = new LongAdder();
    try (HttpClient http = HttpClient.newHttpClient();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      long start = System.nanoTime();
      for (long i = 0; i < count; i++) {
        long due = start + i * 1_000_000_000 / perSecond;
        while (System.nanoTime() - due < 0) {
          LockSupport.parkNanos(due - System.nanoTime());
        }
        long id = number++;
        threads.submit(() -> {
          if (post(http, product, id) == 202) {
            accepted.increment();
          }
          return null;
        });
      }
    }
    if (accepted.sum() < count) {
      throw new IOException("%,d of %,d orders were accepted".formatted(accepted.sum(), count));
    }
    return count;
  }

  private static int post(HttpClient http, Product product, long id)
      throws IOException, InterruptedException {
    LoadRequest order = new LoadRequest("", "", "", 1);
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(
                    "http://127.0.0.1:%d/api/v1/statements/orders.insert"
                        .formatted(product.port())))
            .header("Authorization", "Bearer " + product.token())
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(LoadRequest.BODY_START + id + order.bodyEnd()))
            .build();
    return http.send(request, BodyHandlers.discarding()).statusCode();
  }
}
