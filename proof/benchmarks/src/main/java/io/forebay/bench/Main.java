/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The command line of the benchmarks. */
public final class Main {

  private static final List<Command> COMMANDS =
      List.of(
          new Command(
              "burst",
              "--statements N --fail PERCENT --only NAMES",
              BurstBenchmark::new,
              "statements written as fast as possible and performed by a database, beside the"
                  + " seed's design and bare loops"),
          new Command(
              "ingest",
              "--connections N --rounds N --seconds N --delay MILLIS --jvm OPTIONS --server FILE"
                  + " --only NAMES",
              IngestBenchmark::new,
              "orders over HTTP to the service, beside endpoints that insert them or do nothing;"
                  + " the delay is added to each round trip to the database"),
          new Command(
              "lanes",
              "--statements N --rounds N",
              LanesBenchmark::new,
              "a caller at a low rate: alone, beside a backlog in the same queue, and in its own"
                  + " lane"),
          new Command(
              "pinned",
              "--rate N --seconds N --only NAMES",
              PinnedBenchmark::new,
              "a steady rate while another transaction stays open, beside a table as a queue"),
          new Command(
              "queues",
              "--jobs N --rounds N --only NAMES",
              QueuesBenchmark::new,
              "jobs with one PostgreSQL, beside db-scheduler, Graphile Worker and River; the last"
                  + " two are built in proof/benchmarks/rivals, with npm install and go build"),
          new Command(
              "outbox",
              "--rows N --rival-rows N --rounds N --only NAMES",
              OutboxBenchmark::new,
              "messages in the caller's transactions, handed over when all are there, beside Spring"
                  + " Modulith and Namastack"),
          new Command(
              "start",
              "--rounds N --server FILE",
              StartBenchmark::new,
              "the time until the service is ready, its first ten seconds, and its CPU time when"
                  + " idle"),
          new Command(
              "sink",
              "--rows N --warmup N --rounds N --delay MILLIS --upsert --jvm OPTIONS --only NAMES",
              SinkBenchmark::new,
              "rows from a topic of Kafka to a table of PostgreSQL, beside Debezium and hand-written"
                  + " loops; build with -Dforebay.bench.sink=true"),
          new Command(
              "letters",
              "--contracts N --rounds N --warmup SECONDS --server FILE --only NAMES",
              LettersBenchmark::new,
              "jobs that write letters with data of two services, as in Knoche's paper on"
                  + " chunking"),
          new Command(
              "tail",
              "--rate N --rounds N --seconds N --stall MILLIS --writer-only --only NAMES",
              TailBenchmark::new,
              "the latency of messages up to the worst one; with a disk that stalls it needs root"),
          new Command(
              "pipeline",
              "--rounds N --seconds N",
              PipelineBenchmark::new,
              "the rate that three services behind each other sustain, beside bare readers and"
                  + " writers"),
          new Command(
              "backlog",
              "--gigabytes N --only NAMES",
              BacklogBenchmark::new,
              "a backlog larger than main memory, accepted and drained with a heap of 256 MB"),
          new Command(
              "jmh",
              "--rounds N --only NAMES",
              JmhBenchmark::new,
              "single operations on a message, and the bytes that they allocate"));

  private Main() {}

  /** A benchmark of the command line. All have the options out and short. */
  private record Command(
      String name, String options, Function<Options, Benchmark> open, String what) {

    void run(List<String> arguments) throws Exception {
      Options given = new Options(arguments, "--out DIR --short " + options);
      Path out = Path.of(given.required("out"));
      Benchmark benchmark = open.apply(given);
      benchmark.measure(name, Files.createDirectories(out).toAbsolutePath());
    }

    String usage() {
      return "  %-9s%s%n           %s%n".formatted(name, what, options);
    }
  }

  public static void main(String[] arguments) {
    System.exit(run(Arrays.asList(arguments)));
  }

  /** Returns the exit status: 0 done, regardless of the ratios; 1 aborted; 2 usage error. */
  static int run(List<String> arguments) {
    try {
      if (arguments.isEmpty()) {
        throw new UsageError("name a benchmark");
      }
      String name = arguments.getFirst();
      List<String> rest = arguments.subList(1, arguments.size());
      switch (name) {
        case SinkService.COMMAND -> SinkService.main(rest);
        case SinkLoop.COMMAND -> SinkLoop.main(rest);
        case LoadGenerator.COMMAND -> LoadGenerator.main();
        case Trial.COMMAND -> Trial.main(rest);
        case OutboxTrial.COMMAND -> OutboxTrial.main(rest);
        case BacklogTrial.COMMAND -> BacklogTrial.main(rest);
        default ->
            COMMANDS.stream()
                .filter(it -> it.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new UsageError("unknown benchmark '" + name + "'"))
                .run(rest);
      }
      return 0;
    } catch (UsageError e) {
      System.err.println(usage() + "\n" + e.getMessage());
      return 2;
    } catch (Exception | AssertionError e) {
      e.printStackTrace();
      System.err.println("aborted: " + e);
      return 1;
    }
  }

  private static String usage() {
    return """
    usage: java -jar benchmarks.jar NAME --out DIR [--short] [options]

    Each prints a table and writes DIR/NAME.json. --short is a trial, not a measurement. NAMES are
    contenders, with commas between them. The status is 1 if a row or a result is missing, wrong or
    duplicated.

    """
        + COMMANDS.stream().map(Command::usage).collect(Collectors.joining());
  }
}
