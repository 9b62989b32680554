/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.Arrays;
import java.util.List;

/** The command line of the benchmarks. */
public final class Main {

  private static final String USAGE =
      """
      usage: java -jar benchmarks.jar burst --out DIR [options]
             java -jar benchmarks.jar ingest --out DIR [options]
             java -jar benchmarks.jar lanes --out DIR [options]
             java -jar benchmarks.jar pinned --out DIR [options]
             java -jar benchmarks.jar start --out DIR [options]
             java -jar benchmarks.jar sink --out DIR [options]
             java -jar benchmarks.jar letters --out DIR [options]
             java -jar benchmarks.jar calls --out DIR [--short]
             java -jar benchmarks.jar tail --out DIR [options]
             java -jar benchmarks.jar pipeline --out DIR [options]
             java -jar benchmarks.jar probe --out DIR [options]
             java -jar benchmarks.jar backlog --out DIR [options]
             java -jar benchmarks.jar jmh --out DIR [options]
             java -jar benchmarks.jar report --out DIR [options]

      burst  statements written as fast as possible and performed by a database, side by side with
             the seed's design and with bare loops; prints a table and writes DIR/burst.json and DIR/burst.svg
        --short             fewer statements and rounds: a trial, not a measurement
        --mix               also with two alternating statements
        --fail PERCENT      also with this share of failing statements
        --statements N      statements of a burst (default 200000)
        --backend NAME      chronicle or kafka (default chronicle); on kafka only Forebay
        --only NAME,NAME…   only these contenders

      ingest  orders over HTTP to the product's own process, side by side with an endpoint that
              inserts them, one with a queue in memory and one that does nothing; prints a table,
              writes DIR/ingest.json and DIR/ingest.svg; ends with status 1 if the rows differ from
              the acknowledged orders
        --short             less time and fewer rounds: a trial, not a measurement
        --generator NAME    wrk or own (default wrk if it is installed, otherwise own)
        --connections N     (default 100)
        --rounds N          (default 5, short 2)
        --seconds N         per round of a contender (default 20, short 5)
        --only NAME,NAME…   only these contenders
        --delay MILLIS      makes each round trip to the database take this much longer (default 0)
        --jvm OPTIONS       additional options of the product's JVM, in one argument
        --server FILE       the product's executable jar (default: where the build puts it)

      lanes  a caller that sends 100 statements per second: alone, beside the backlog of another caller in
             the same queue, and in a lane of its own; then two lanes with backlogs and weights 1 and 3;
             prints a table and writes DIR/lanes.json and DIR/lanes.svg
        --short             200,000 statements and one round: a trial, not a measurement
        --statements N      of a backlog (default 1000000)
        --rounds N          (default 5, short 1)

      pinned  400 statements per second, one per batch, before and while another transaction stays
              open for half an hour; beside a table of PostgreSQL as a queue; prints a table and writes
              DIR/pinned.json and DIR/pinned.svg
        --short             seconds instead of minutes: a trial, not a measurement
        --rate N            statements per second (default 400)
        --seconds N         how long the transaction is open (default 1800, short 6)
        --only NAME,NAME…   only these contenders

      start  the time until the product is ready, from its jar and with an AOT cache; what it accepts in its
             first ten seconds and when it is warm; the CPU time of an idle one with four partitions; prints
             a table and writes DIR/start.json and DIR/start.svg
        --short             one round and seconds instead of minutes: a trial, not a measurement
        --rounds N          (default 5, short 1)
        --server FILE       the product's executable jar (default: where the build puts it)

      sink  rows from a topic of Kafka to a table of PostgreSQL, side by side with Debezium's JDBC
            sink; prints a table and writes DIR/sink.json and DIR/sink.svg; ends with status 1 when a
            row or a result is missing, wrong or duplicated
        --short             fewer rows and one round: a trial, not a measurement
        --rows N            rows for the throughput (default 5000000, short 500000)
        --warmup N          rows before these (default 3000000, short 600000)
        --rate N            rows per second for the latency (default 2000)
        --seconds N         seconds at that rate (default 10, short 3)
        --rounds N          (default 3, short 1)
        --only NAME,NAME…   only these contenders
        --jvm OPTIONS       additional options of the JVM of Forebay's process, in one argument

      letters  one letter per contract by jobs that reach customers and addresses in different ways,
               as in table 1 of Knoche's paper on chunking; prints a table beside the paper's and
               writes DIR/letters.json and DIR/letters.svg; ends with status 1 when a letter is missing
               or differs between them
        --short             fewer contracts and one round: a trial, not a measurement
        --contracts N       (default 100000, short 10000)
        --rounds N          (default 10, short 1)
        --warmup SECONDS    before each run, after the restart of services and database (default
                            10; short: no restart within a round)
        --only NAME,NAME…   only these contenders
        --server FILE       the product's executable jar (default: where the build puts it)

      calls  the time of a call in chunks to a service that takes no time: through the collector and
             in a hand-written loop, over a queue in memory and over files; prints a table and writes
             DIR/calls.json and DIR/calls.svg
        --short             fewer calls and rounds: a trial, not a measurement

      tail  the latency of messages of 32 bytes at 50,000 and 250,000 per second up to the worst one:
            the writing modes of Chronicle queues, plain Chronicle Queue, and the jitter of the machine;
            prints a table and writes DIR/tail.json and DIR/tail.svg
        --short             50,000 per second for a second, once: a trial, not a measurement
        --stall MILLIS      on a file system that stalls for this time every two seconds; needs root;
                            writes DIR/tail-stall.json and DIR/tail-stall.svg
        --writer-only       measures when messages are written; nothing reads
        --rate N            only this number of messages per second
        --rounds N          (default 8, short 1)
        --seconds N         per round of a contender, after a warm-up (default 20, short 1)
        --only NAME,NAME…   only these contenders

      pipeline  the rate that three services behind each other sustain, exactly once and with the history
                of each message, beside bare method writers and readers of Chronicle Queue; prints a
                table and writes DIR/pipeline.json and DIR/pipeline.svg
        --short             less time per rate and one round: a trial, not a measurement
        --wait NAME         how all threads wait: seed (as in the article), yield or spin (default yield)
        --rates N,N…        only these rates; default: it searches
        --rounds N          (default 3, short 1)
        --seconds N         per rate (default 2, short 0.2)

      probe  the rates that this machine, its disk and a database sustain: messages appended to a queue,
             performed by a service, and inserted by a gateway on HSQLDB and on PostgreSQL; prints a table
             and writes DIR/probe.json and DIR/probe.svg
        --short             less time per rate: a trial, not a measurement
        --bytes N           what each message carries (default 100)
        --rates N,N…        only these rates; default: it searches
        --seconds N         per rate (default 5, short 0.2)

      backlog  messages of 256 bytes, more than fit into main memory, written by a process with 256 MB
               of heap while nothing is performed, then performed by a database: two writing modes,
               beside plain Chronicle Queue; prints a table and writes DIR/backlog.json and
               DIR/backlog.svg; ends with status 1 unless each message had its effect exactly once
        --short             0.2 GB: a trial, not a measurement
        --gigabytes N       (default 1.1 times main memory, at least 25)
        --only NAME,NAME…   only these contenders; forebay-hsqldb runs only if it is named

      jmh  the time of the operations on a message and the bytes they allocate, measured with JMH and its
           profiler of allocations: append, encode, decode and dispatch, each beside hand-written code;
           prints a table and writes DIR/jmh.json and DIR/jmh.svg
        --short             less time and one round: a trial, not a measurement
        --rounds N          (default 5, short 1)
        --only NAME,NAME…   only these operations

      report  runs all benchmarks, each in its own process, and writes DIR/report.html with all results
              in DIR, beside the figures of the publications that they repeat; ends with status 1 if a
              benchmark failed
        --short             their short forms: a trial, not a measurement
        --only NAME,NAME…   runs only these benchmarks; tail-stall is tail with --stall
        --render            runs nothing
      """;

  private Main() {}

  public static void main(String[] arguments) {
    System.exit(run(Arrays.asList(arguments)));
  }

  /** Returns the exit status: 0 done, regardless of the ratios; 1 aborted; 2 usage error. */
  static int run(List<String> arguments) {
    try {
      if (arguments.isEmpty()) {
        throw new UsageError("name a benchmark");
      }
      List<String> rest = arguments.subList(1, arguments.size());
      switch (arguments.getFirst()) {
        case "burst" -> BurstBenchmark.main(rest);
        case "ingest" -> IngestBenchmark.main(rest);
        case "sink" -> SinkBenchmark.main(rest);
        case "letters" -> LettersBenchmark.main(rest);
        case "calls" -> CallsBenchmark.main(rest);
        case "lanes" -> LanesBenchmark.main(rest);
        case "pinned" -> PinnedBenchmark.main(rest);
        case "start" -> StartBenchmark.main(rest);
        case "tail" -> TailBenchmark.main(rest);
        case "pipeline" -> PipelineBenchmark.main(rest);
        case "probe" -> ProbeBenchmark.main(rest);
        case "backlog" -> BacklogBenchmark.main(rest);
        case "jmh" -> JmhBenchmark.main(rest);
        case "report" -> {
          return Report.main(rest) ? 0 : 1;
        }
        case SinkService.COMMAND -> SinkService.main(rest);
        case OwnGenerator.COMMAND -> OwnGenerator.main();
        case Trial.COMMAND -> Trial.main(rest);
        case BacklogTrial.COMMAND -> BacklogTrial.main(rest);
        default -> throw new UsageError("unknown benchmark '" + arguments.getFirst() + "'");
      }
      return 0;
    } catch (UsageError e) {
      System.err.println(USAGE + "\n" + e.getMessage());
      return 2;
    } catch (Exception | AssertionError e) {
      e.printStackTrace();
      System.err.println("aborted: " + e);
      return 1;
    }
  }
}
