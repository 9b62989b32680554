/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.Arrays;
import java.util.List;

/** The benchmarks' command line. */
public final class Main {

  private static final String USAGE =
      """
      usage: java -jar benchmarks.jar burst --out DIR [options]

      burst  statements written as fast as possible and performed by a database, side by side with
             the seed's design and with bare loops; prints a table and writes DIR/burst.json
        --short             fewer statements and rounds: a look, not a measurement
        --mix               also with two statements alternating
        --fail PERCENT      also with that share of the statements failing
        --backlog N         instead: N statements written first and then performed, 256 MB of heap
        --statements N      statements of a burst (default 200000)
        --only NAME,NAME…   only these contenders
      """;

  private Main() {}

  public static void main(String[] arguments) {
    System.exit(run(Arrays.asList(arguments)));
  }

  /** The exit status: 0 done, whatever the ratios are; 1 aborted; 2 not understood. */
  static int run(List<String> arguments) {
    try {
      if (arguments.isEmpty()) {
        throw new UsageError("which benchmark?");
      }
      List<String> rest = arguments.subList(1, arguments.size());
      switch (arguments.getFirst()) {
        case "burst" -> BurstBenchmark.main(rest);
        case Trial.COMMAND -> Trial.main(rest);
        default -> throw new UsageError("unknown benchmark '" + arguments.getFirst() + "'");
      }
      return 0;
    } catch (UsageError e) {
      System.err.println(e.getMessage() + "\n\n" + USAGE);
      return 2;
    } catch (Exception | AssertionError e) {
      System.err.println("aborted: " + e);
      e.printStackTrace();
      return 1;
    }
  }
}
