/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The time from the start of the product to the first answer that it is ready, from its jar and
 * with an AOT cache, and how many statements it then accepts: in its first ten seconds, and when it
 * is warm. Embedded defaults, on a data directory that exists.
 */
final class StartBenchmark {

  static final String JAR = "jar";
  static final String CACHE = "aot-cache";
  static final String READY = "readySeconds";
  static final String CPU = "cpuSeconds";
  static final String FIRST = "firstTenSecondsPerSecond";
  static final String WARM = "warmPerSecond";
  static final String IDLE = "idlePercent";

  static final FigureTable TABLE =
      FigureTable.of("start")
          .range("s until ready", READY, "%.2f")
          .range("CPU s until ready", CPU, "%.2f")
          .one("accepted/s, first 10 s", FIRST, "%,.0f")
          .one("accepted/s, warm", WARM, "%,.0f")
          .one("idle, % of a core", IDLE, "%.1f");

  private static final int CONNECTIONS = 32;
  private static final double FIRST_SECONDS = 10;
  private static final double TRAINING_SECONDS = 3;

  private final boolean brief;
  private final int roundCount;
  private final Path jar;
  private final Map<String, Rounds> rounds = new LinkedHashMap<>();

  private StartBenchmark(Options options) {
    brief = options.has("short");
    roundCount = Math.toIntExact(options.count("rounds").orElse(brief ? 1L : 5L));
    jar = Product.jar(options).toAbsolutePath();
  }

  static void main(List<String> arguments) throws Exception {
    Options options = new Options(arguments, Set.of("short"), Set.of("out", "rounds", "server"));
    Path out = Files.createDirectories(Path.of(options.required("out"))).toAbsolutePath();
    new StartBenchmark(options).run(out);
  }

  private void run(Path out) throws Exception {
    Map<String, Object> machine = Machine.describe(out);
    try (Testbed testbed = new Testbed(out, false);
        Load load = OwnLoad.start(testbed)) {
      Map<String, Product> products = new LinkedHashMap<>();
      products.put(JAR, Product.embedded(testbed, JAR, List.of("-jar", jar.toString())));
      products.put(CACHE, Product.embedded(testbed, CACHE, trained(testbed, load)));
      for (Product product : products.values()) {
        product.stop(); // the first start created the data
      }
      for (int i = 0; i < roundCount; i++) {
        for (Map.Entry<String, Product> each : products.entrySet()) {
          start(each.getValue(), rounds.computeIfAbsent(each.getKey(), _ -> new Rounds()));
          each.getValue().stop();
        }
      }
      for (Map.Entry<String, Product> each : products.entrySet()) {
        work(load, each.getValue(), rounds.get(each.getKey()));
        each.getValue().stop();
      }
      for (Map.Entry<String, Product> each : products.entrySet()) {
        idle(each.getValue(), rounds.get(each.getKey()));
        each.getValue().close();
      }
    }
    System.out.println(TABLE.text(rounds));
    System.out.println(Target.table(targets(), rounds));
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("contenders", Rounds.json(rounds));
    json.put("targets", targets().stream().map(it -> it.json(rounds)).toList());
    json.put("machine", machine);
    ResultFiles.write(
        out,
        "start",
        json,
        "Start of the service",
        List.of(BarPanel.medians("seconds until ready", rounds, READY, CACHE)));
  }

  private List<String> trained(Testbed testbed, Load load) throws Exception {
    return Product.train(testbed, jar, training -> rate(load, training, TRAINING_SECONDS));
  }

  private static void start(Product product, Rounds into) throws Exception {
    into.add(READY, product.startAgain());
    into.add(CPU, product.cpuSeconds());
  }

  private void work(Load load, Product product, Rounds into) throws Exception {
    product.startAgain();
    into.add(FIRST, rate(load, product, FIRST_SECONDS));
    rate(load, product, brief ? 30 : 60);
    into.add(WARM, rate(load, product, FIRST_SECONDS));
  }

  private static double rate(Load load, Product product, double seconds) throws Exception {
    LoadRequest request =
        new LoadRequest(
            "127.0.0.1:" + product.port(), "/api/v1/statements/orders.insert", product.token(), 1);
    LoadResult result = load.run(product.port(), CONNECTIONS, seconds, request);
    if (result.acknowledged() == 0 || result.refused() > 0 || result.lost() > 0) {
      throw new IllegalStateException("the product did not accept all statements: " + result);
    }
    return result.requestsPerSecond();
  }

  /** In the second minute after the start. */
  private void idle(Product product, Rounds into) throws Exception {
    long millis = 60_000;
    product.startAgain();
    Thread.sleep(millis);
    double before = product.cpuSeconds();
    long begin = System.nanoTime();
    Thread.sleep(millis);
    into.add(IDLE, 100 * (product.cpuSeconds() - before) / ((System.nanoTime() - begin) / 1e9));
  }

  private static List<Target> targets() {
    return List.of(
        new Target(
            "seconds until ready, with the cache",
            Target.median(READY, CACHE),
            Target.Sense.AT_MOST,
            2.5),
        new Target(
            "first ten seconds : warm, with the cache",
            Target.within(CACHE, FIRST, WARM),
            Target.Sense.AT_LEAST,
            0.6),
        new Target(
            "idle, % of a core, with the cache",
            Target.median(IDLE, CACHE), Target.Sense.AT_MOST, 1));
  }
}
