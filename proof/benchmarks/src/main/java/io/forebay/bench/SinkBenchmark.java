/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.SinkLoop.Way;
import io.forebay.bench.SinkTable.Commits;
import io.forebay.jdbc.Results;
import io.forebay.kafka.KafkaBackend;
import io.forebay.kafka.broker.BrokerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Moves the same rows from a broker's topic to an empty PostgreSQL table, or upserts them, with one
 * contender after the other, each in its own process, as fast as it can. The first rows are the
 * warm-up. At the end every row must be there once with its values, and every result.
 */
final class SinkBenchmark extends Benchmark {

  /** Rows per second between the first and the last commit of the measured rows. */
  private static final String PER_SECOND = "rows/s";

  /** The largest batch of all contenders. */
  private static final int BATCH = 5_000;

  private static final String HEAP = "1g";
  private static final long LOOK_NANOS = 100_000_000;
  private static final long PATIENCE_NANOS = 120_000_000_000L;

  /** The software that moves rows from Kafka to PostgreSQL. */
  enum Contender {
    /** Exactly once, with a result for every row. */
    FOREBAY_KAFKA(Results.ALL),

    /** The same, with equal results of consecutive rows in one message. */
    FOREBAY_KAFKA_RUNS(Results.RUNS),

    /** Exactly once, with results of failures only. */
    FOREBAY_KAFKA_FAILURES_ONLY(Results.FAILURES_ONLY),

    /** At least once, without results; records are JSON without a schema. */
    DEBEZIUM_JDBC_SINK(null, null),

    /** At least once, without results; hand-written. */
    LOOP_BATCH(Way.BATCH),
    LOOP_VALUES(Way.VALUES),
    LOOP_UNNEST(Way.UNNEST),
    LOOP_COPY(Way.COPY);

    private final @Nullable Results results;
    private final @Nullable Way way;

    Contender(Results results) {
      this(results, null);
    }

    Contender(Way way) {
      this(null, way);
    }

    Contender(@Nullable Results results, @Nullable Way way) {
      this.results = results;
      this.way = way;
    }
  }

  private final List<Contender> contenders;
  private final long warmup;
  private final long rows;
  private final double delayMillis;
  private final boolean upserts;
  private int turns;

  SinkBenchmark(Options options) {
    super(options);
    contenders = only(Contender.values());
    warmup = options.count("warmup").orElse(brief ? 2_000_000L : 3_000_000L);
    rows = options.count("rows").orElse(brief ? 1_000_000L : 5_000_000L);
    delayMillis = options.amount("delay").orElse(0.0);
    upserts = options.has("upsert");
  }

  /** Where a contender works, for one turn. */
  private record Place(
      Testbed testbed, BrokerProcess broker, Path folder, String url, String prefix) {

    KafkaBackend.Options kafka() {
      return KafkaBackend.Options.of(broker.bootstrap()).withPrefix(prefix);
    }

    String topic() {
      return prefix + "orders";
    }
  }

  @Override
  protected void run(Path out) throws Exception {
    Path connect =
        contenders.contains(Contender.DEBEZIUM_JDBC_SINK)
            ? classPath("kafka-connect", "connect.classpath")
            : Path.of("");
    Path brokerClassPath = classPath("kafka-broker", "broker.classpath");
    try (Testbed testbed = testbed(out, Map.of("track_commit_timestamp", "on"));
        DelayProxy proxy = new DelayProxy(testbed.postgres().port(), delayMillis)) {
      BrokerProcess broker = testbed.startBroker(brokerClassPath);
      if (!brief) {
        // Let the broker's JIT compiler do most of its work before the first measurement.
        System.out.println("warm-up of the broker");
        take(contenders.getFirst(), testbed, broker, proxy, connect);
      }
      rotate(rounds(3), contenders, it -> take(it, testbed, broker, proxy, connect));
    }
  }

  /** The class path file of a module, at the build's location relative to this program. */
  private static Path classPath(String module, String name) {
    Path file = EndpointsJar.module().resolveSibling(module).resolve("target").resolve(name);
    if (!Files.isRegularFile(file)) {
      throw new UsageError(
          "there is no class path at %s; build with -Dforebay.bench.sink=true".formatted(file));
    }
    return file;
  }

  private Rounds take(
      Contender contender, Testbed testbed, BrokerProcess broker, DelayProxy proxy, Path connect)
      throws Exception {
    String name = "turn" + turns++;
    Postgres postgres = testbed.postgres();
    String direct = postgres.create(name);
    String url = delayMillis == 0 ? direct : Postgres.url(proxy.port(), name);
    Place place = new Place(testbed, broker, testbed.newFolder(name), url, name + ".");
    Rounds figures;
    try (SinkTable table = new SinkTable(direct, upserts)) {
      fill(contender, place);
      CpuSamples cpu = new CpuSamples();
      long roundTrips = proxy.roundTrips();
      try (Child process = start(contender, place, connect)) {
        await(process, table, cpu, broker, postgres);
        table.mustHold(warmup + rows);
        if (contender.results != null) {
          new SinkResults(place.kafka()).mustBe(expected(contender));
        }
      }
      figures = figures(table.commits(warmup, warmup + rows), cpu);
      if (delayMillis > 0) {
        figures.add(
            "round trips per batch", (proxy.roundTrips() - roundTrips) / (double) table.commits());
      }
    }
    postgres.drop(name);
    return figures;
  }

  private long expected(Contender contender) {
    return contender.results == Results.FAILURES_ONLY ? 0 : warmup + rows;
  }

  private void fill(Contender contender, Place place) {
    try (SinkFeed feed =
        contender.results == null
            ? new RecordFeed(
                place.broker().bootstrap(),
                place.topic(),
                contender.way == null ? RecordFeed::json : SinkBenchmark::row)
            : new ForebayFeed(
                place.kafka(), SinkTable.INSERT + (upserts ? SinkTable.ON_CONFLICT : ""))) {
      for (long number = 0; number < warmup + rows; number++) {
        feed.send(number);
      }
      feed.flush();
    }
  }

  private static byte[] row(long number) {
    return new SinkLoop.Row(
            number, Burst.customer(number), SinkTable.amount(number), SinkTable.nowMicros())
        .bytes();
  }

  private Child start(Contender contender, Place place, Path connect) throws IOException {
    if (contender.results != null) {
      return program(
          place,
          List.of(SinkService.COMMAND, "--prefix", place.prefix()),
          List.of("--results", contender.results.name()));
    }
    return contender.way == null
        ? debezium(place, connect)
        : program(
            place,
            List.of(SinkLoop.COMMAND, "--topic", place.topic()),
            upserts
                ? List.of("--way", contender.way.name(), "--upsert")
                : List.of("--way", contender.way.name()));
  }

  private Child program(Place place, List<String> command, List<String> kind) throws IOException {
    List<String> jvm = new ArrayList<>(List.of("-Xms" + HEAP, "-Xmx" + HEAP));
    jvm.addAll(options.words("jvm"));
    List<String> arguments = new ArrayList<>(command);
    arguments.addAll(List.of("--bootstrap", place.broker().bootstrap()));
    arguments.addAll(List.of("--postgres", place.url(), "--batch", "" + BATCH));
    arguments.addAll(kind);
    return new Child(
        place.testbed(), Testbed.program(jvm, arguments), place.folder().resolve("log"));
  }

  /** A standalone Kafka Connect worker with one connector and one task. */
  private Child debezium(Place place, Path classPath) throws IOException {
    Path folder = place.folder();
    Path worker =
        write(
            folder.resolve("worker.properties"),
            Map.of(
                "bootstrap.servers",
                place.broker().bootstrap(),
                "listeners",
                "http://127.0.0.1:" + Testbed.freePort(),
                "offset.storage.file.filename",
                folder.resolve("offsets").toString(),
                "key.converter",
                "org.apache.kafka.connect.converters.ByteArrayConverter",
                "value.converter",
                "org.apache.kafka.connect.json.JsonConverter",
                "value.converter.schemas.enable",
                "true",
                "value.converter.schema.content",
                RecordFeed.schema()));
    Path connector =
        write(folder.resolve("connector.properties"), connector(place.topic(), place.url()));
    Path logging =
        write(
            folder.resolve("log4j2.properties"),
            Map.of(
                "appender.out.type", "Console",
                "appender.out.name", "out",
                "appender.out.layout.type", "PatternLayout",
                "appender.out.layout.pattern", "%d %p %c %m%n",
                "rootLogger.level", "warn",
                "rootLogger.appenderRef.out.ref", "out"));
    List<String> command =
        List.of(
            Testbed.JAVA,
            "-Xms" + HEAP,
            "-Xmx" + HEAP,
            "-Dlog4j2.configurationFile=" + logging,
            "-cp",
            Files.readString(classPath).strip(),
            "org.apache.kafka.connect.cli.ConnectStandalone",
            worker.toString(),
            connector.toString());
    return new Child(place.testbed(), command, folder.resolve("log"));
  }

  /** The fastest settings for PostgreSQL in its documentation. */
  private Map<String, String> connector(String topic, String url) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("name", "sink");
    settings.put("connector.class", "io.debezium.connector.jdbc.JdbcSinkConnector");
    settings.put("tasks.max", "1");
    settings.put("topics", topic);
    settings.put("connection.url", url + "?reWriteBatchedInserts=true");
    settings.put("connection.username", Postgres.OWNER);
    settings.put("connection.password", "unused");
    settings.put("insert.mode", upserts ? "upsert" : "insert");
    settings.put("primary.key.mode", upserts ? "record_value" : "none");
    if (upserts) {
      settings.put("primary.key.fields", "id");
    }
    settings.put("schema.evolution", "none");
    settings.put("dialect.postgres.unnest.insert.enabled", "true");
    settings.put("collection.name.format", "orders");
    settings.put("batch.size", Integer.toString(BATCH));
    settings.put("consumer.override.max.poll.records", Integer.toString(BATCH));
    return settings;
  }

  private static Path write(Path file, Map<String, String> settings) throws IOException {
    List<String> lines = new ArrayList<>();
    settings.forEach((name, value) -> lines.add(name + "=" + value));
    return Files.write(file, lines);
  }

  /** Waits until the last row is in the table; samples the CPU time meanwhile. */
  private void await(
      Child process, SinkTable table, CpuSamples cpu, BrokerProcess broker, Postgres postgres)
      throws IOException, SQLException {
    long last = warmup + rows - 1;
    long start = System.nanoTime();
    boolean there = false;
    while (!there) {
      there = table.endsWith(last);
      cpu.add(
          SinkTable.nowMicros(),
          process.cpuSeconds(),
          postgres.cpuSeconds(),
          Child.cpuSeconds(ProcessHandle.of(broker.pid()).orElseThrow()));
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw process.broken(
            "has not brought row %,d within %d s".formatted(last, PATIENCE_NANOS / 1_000_000_000));
      }
      if (!there) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
    }
  }

  private static Rounds figures(Commits commits, CpuSamples cpu) {
    double[] used = cpu.between(commits.fromMicros(), commits.toMicros());
    double millions = commits.rows() / 1e6;
    return new Rounds()
        .add(PER_SECOND, commits.rowsPerSecond())
        .add("CPU s per million: all", Arrays.stream(used).sum() / millions)
        .add("CPU s: sink", used[0] / millions)
        .add("CPU s: database", used[1] / millions)
        .add("CPU s: broker", used[2] / millions);
  }

  @Override
  protected Set<String> ranges() {
    return Set.of(PER_SECOND);
  }

  @Override
  protected List<String> targets() {
    return List.of(
        "rows/s of forebay-kafka : debezium-jdbc-sink >= 3",
        "rows/s of forebay-kafka-runs : debezium-jdbc-sink >= 4",
        "rows/s of forebay-kafka-failures-only : debezium-jdbc-sink",
        "CPU s per million: all of forebay-kafka : debezium-jdbc-sink <= 0.4",
        "rows/s of forebay-kafka : loop-batch" + (delayMillis > 0 ? " >= 2" : ""),
        "rows/s of forebay-kafka : loop-values",
        "rows/s of forebay-kafka : loop-unnest" + (delayMillis > 0 ? " >= 0.9" : ""),
        "rows/s of forebay-kafka : loop-copy");
  }
}
