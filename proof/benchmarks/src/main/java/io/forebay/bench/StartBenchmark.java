/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The time from the start of the product to the first answer that it is ready, from its jar and
 * with an AOT cache, and how many statements it then accepts: in its first ten seconds, and when it
 * is warm. Embedded defaults, on a data directory that exists. At last the CPU time of an idle one.
 */
final class StartBenchmark extends Benchmark {

  private static final String CACHE = "aot-cache";
  private static final String READY = "s until ready";
  private static final String READY_CPU = "CPU s until ready";
  private static final String FIRST = "accepted/s, first 10 s";
  private static final String WARM = "accepted/s, warm";
  private static final String IDLE = "idle, % of a core";

  private static final int CONNECTIONS = 32;
  private static final double FIRST_SECONDS = 10;
  private static final double TRAINING_SECONDS = 3;

  private final Path jar;

  StartBenchmark(Options options) {
    super(options);
    jar = Product.jar(options);
  }

  @Override
  protected void run(Path out) throws Exception {
    try (Testbed testbed = new Testbed(out);
        Load load = new Load(testbed)) {
      List<String> trained =
          Product.train(testbed, jar, training -> rate(load, training, TRAINING_SECONDS));
      Map<String, Product> products = new LinkedHashMap<>();
      products.put("jar", Product.embedded(testbed, "jar", List.of("-jar", jar.toString())));
      products.put(CACHE, Product.embedded(testbed, CACHE, trained));
      for (Product product : products.values()) {
        product.stop(); // the first start created the data
      }
      int rounds = rounds(5);
      for (int i = 0; i < rounds; i++) {
        each(
            products,
            (product, of) -> of.add(READY, product.start()).add(READY_CPU, product.cpuSeconds()));
      }
      each(
          products,
          (product, of) -> {
            product.start();
            of.add(FIRST, rate(load, product, FIRST_SECONDS));
            rate(load, product, brief ? 30 : 60);
            of.add(WARM, rate(load, product, FIRST_SECONDS));
          });
      each(products, StartBenchmark::idle);
    }
  }

  private interface Step {
    void take(Product product, Rounds figures) throws Exception;
  }

  /** Takes a step that starts the product, and stops it. */
  private void each(Map<String, Product> products, Step step) throws Exception {
    for (Map.Entry<String, Product> each : products.entrySet()) {
      step.take(each.getValue(), of(each.getKey()));
      each.getValue().stop();
    }
  }

  private static double rate(Load load, Product product, double seconds) throws Exception {
    Rounds result = load.run(CONNECTIONS, seconds, product.orders(Product.DOOR, 1));
    double acknowledged = result.median(Load.ACKNOWLEDGED);
    if (acknowledged == 0 || result.max(Load.REFUSED) > 0 || result.max(Load.LOST) > 0) {
      throw new IllegalStateException("the product did not accept all statements: " + result);
    }
    return acknowledged / result.median(Load.SECONDS);
  }

  /** In the second minute after the start. */
  private static void idle(Product product, Rounds figures) throws Exception {
    long millis = 60_000;
    product.start();
    Thread.sleep(millis);
    double before = product.cpuSeconds();
    long begin = System.nanoTime();
    Thread.sleep(millis);
    double seconds = (System.nanoTime() - begin) / 1e9;
    figures.add(IDLE, 100 * (product.cpuSeconds() - before) / seconds);
  }

  @Override
  protected Set<String> ranges() {
    return Set.of(READY, READY_CPU);
  }

  @Override
  protected List<String> targets() {
    return List.of(
        "s until ready of aot-cache <= 2.5",
        "accepted/s, first 10 s : accepted/s, warm of aot-cache >= 0.6",
        "idle, % of a core of aot-cache <= 1");
  }
}
