/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static io.forebay.bench.Target.Sense.AT_LEAST;
import static io.forebay.bench.Target.Sense.AT_MOST;
import static io.forebay.bench.Target.median;
import static io.forebay.bench.Target.ratio;

import java.util.ArrayList;
import java.util.List;

/** The targets of the burst benchmark on two cores. */
final class Targets {

  static final String MIX = "-mix";
  static final String FAIL = "-fail";

  private static final String ON_HSQLDB = "forebay-hsqldb";
  private static final String ON_POSTGRESQL = "forebay-postgresql";
  private static final List<String> FOREBAY = List.of(ON_HSQLDB, ON_POSTGRESQL);

  /** An average below this comes from elsewhere in the JVM, not from each call. */
  static final double NO_BYTES = 0.5;

  private Targets() {}

  static List<Target> ofBursts(boolean mix, double failPercent) {
    List<Target> targets = new ArrayList<>();
    targets.add(
        new Target(
            "write, forebay : seed's method writer",
            ratio(Figure.WRITE, ON_HSQLDB, "seed-design-hsqldb"),
            AT_MOST,
            0.7));
    targets.add(
        new Target(
            "write, forebay : bare append of as many bytes",
            ratio(Figure.WRITE, ON_HSQLDB, "bare-append-same-bytes"),
            AT_MOST,
            1.3));
    for (String forebay : FOREBAY) {
      targets.add(
          new Target(
              "bytes allocated per write, " + forebay,
              median(Figure.ALLOCATED, forebay),
              AT_MOST,
              NO_BYTES));
    }
    targets.add(perform(ON_HSQLDB, "bare-loop-hsqldb", 1.4));
    targets.add(performingThread(ON_HSQLDB, "bare-loop-hsqldb"));
    targets.add(perform(ON_POSTGRESQL, "bare-loop-postgresql", 0.35));
    targets.add(performingThread(ON_POSTGRESQL, "bare-loop-postgresql"));
    targets.add(timesFaster(ON_HSQLDB, "seed-design-hsqldb-durable", 80));
    targets.add(timesFaster(ON_POSTGRESQL, "seed-design-postgresql", 25));
    if (mix) {
      FOREBAY.forEach(it -> targets.add(perform(it + MIX, it, 1.5)));
    }
    if (failPercent > 0) {
      targets.add(perform(ON_HSQLDB + FAIL, ON_HSQLDB, Double.NaN));
      targets.add(perform(ON_POSTGRESQL + FAIL, ON_POSTGRESQL, failLimit(failPercent)));
    }
    return targets;
  }

  private static Target perform(String contender, String against, double limit) {
    return new Target(
        "perform, " + contender + " : " + against,
        ratio(Figure.PERFORM, contender, against),
        AT_MOST,
        limit);
  }

  private static Target performingThread(String contender, String against) {
    return new Target(
        "CPU of the performing thread, " + contender + " : " + against,
        ratio(Figure.PERFORM_CPU, contender, against),
        AT_MOST,
        1);
  }

  private static Target timesFaster(String contender, String than, double limit) {
    return new Target(
        "perform, " + than + " : " + contender,
        ratio(Figure.PERFORM, than, contender),
        AT_LEAST,
        limit);
  }

  /** The limit, which is only defined for two percentages of failing statements. */
  private static double failLimit(double percent) {
    return percent == 0.1 ? 4 : percent == 1 ? 12 : Double.NaN;
  }
}
