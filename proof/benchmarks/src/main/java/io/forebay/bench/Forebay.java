/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.Contender.KafkaPlace;
import io.forebay.bench.Contender.Place;
import io.forebay.call.Reader;
import io.forebay.call.Writer;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.database.EmbeddedDatabase;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Results;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.kafka.KafkaBackend;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueRefused;
import io.forebay.service.ServiceState;
import io.forebay.service.ServiceState.Phase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Forebay's gateway as a program uses it, with queues at level {@code process}. */
final class Forebay implements Contender.Performing {

  /** Messages carry SQL text; the two texts of the burst may be reordered. */
  private static final StatementCatalogue INDEPENDENT =
      new StatementCatalogue() {

        private static final Set<String> TEXTS = Set.of(Burst.sql(false), Burst.sql(true));

        @Override
        public Entry find(String gateway, String reference) {
          throw new NoSuchElementException("the messages of the burst carry SQL text");
        }

        @Override
        public @Nullable Known known(String gateway, String text) {
          return TEXTS.contains(text) ? new Known("burst", List.of(), true, false) : null;
        }
      };

  /** The user of the embedded database that performs statements. */
  private static final String EMBEDDED_GATEWAY = "forebay_gateway";

  private static final int MOST_RESULTS_PER_POLL = 1_000;

  private static final String NAME = "burst";
  private static final long FULL_NANOS = 1_000_000;
  private static final Duration LONGEST_START = Duration.ofMinutes(1);

  private final List<Path> queues;
  private final TargetTables tables;
  private final @Nullable EmbeddedDatabase embedded;
  private final QueueBackend backend;
  private final JDBCService service;
  private final Writer<JDBCStatement> writer;
  private final JDBCStatement calls;
  private @Nullable Reader<JDBCResult> results;

  private Forebay(
      Place place,
      TargetTables tables,
      DataSource gateway,
      DataSource owner,
      @Nullable EmbeddedDatabase embedded,
      Results kept) {
    this.tables = tables;
    this.embedded = embedded;
    KafkaPlace kafka = place.kafka();
    if (kafka == null) {
      Path folder = place.folder().resolve("queues");
      queues = List.of(folder);
      backend =
          ChronicleBackend.open(
              folder, ChronicleBackend.Options.defaults().withWriting(place.writing()));
    } else {
      queues =
          List.of(
              kafka.data().resolve(kafka.prefix() + NAME + ".in-0"),
              kafka.data().resolve(kafka.prefix() + NAME + ".out-0"));
      backend =
          KafkaBackend.open(KafkaBackend.Options.of(kafka.bootstrap()).withPrefix(kafka.prefix()));
    }
    service =
        JDBCService.builder(NAME)
            .queues(backend, 1)
            .dataSource(gateway)
            .migrate(owner)
            .acceptText(true)
            .results(kept)
            .catalogue(INDEPENDENT)
            .build();
    service.start();
    awaitFolders();
    writer = service.createWriter();
    calls = writer.calls();
  }

  /** A broker tells of a topic before it has made its folder, whose bytes are counted. */
  private void awaitFolders() {
    long begin = System.nanoTime();
    while (!queues.stream().allMatch(Files::isDirectory)) {
      if (System.nanoTime() - begin > LONGEST_START.toNanos()) {
        throw new IllegalStateException(
            "not there " + LONGEST_START + " after the start: " + queues);
      }
      LockSupport.parkNanos(FULL_NANOS);
    }
  }

  static Forebay onHsqldb(Place place) throws SQLException {
    return onHsqldb(place, Results.ALL);
  }

  static Forebay onHsqldbWithRuns(Place place) throws SQLException {
    return onHsqldb(place, Results.RUNS);
  }

  private static Forebay onHsqldb(Place place, Results kept) throws SQLException {
    EmbeddedDatabase database = EmbeddedDatabase.open(place.folder().resolve("database"));
    TargetTables tables = TargetTables.inHsqldb(database.owner()::getConnection, place.large());
    tables.create();
    tables.grantTo(EMBEDDED_GATEWAY);
    return new Forebay(place, tables, database.gateway(), database.owner(), database, kept);
  }

  static Forebay onPostgresql(Place place) throws SQLException {
    TargetTables tables = TargetTables.inPostgresql(place.postgresUrl());
    tables.create();
    tables.grantTo(Postgres.GATEWAY);
    return new Forebay(
        place,
        tables,
        Postgres.dataSource(place.postgresUrl(), Postgres.GATEWAY),
        Postgres.dataSource(place.postgresUrl(), Postgres.OWNER),
        null,
        Results.ALL);
  }

  @Override
  public TargetTables tables() {
    return tables;
  }

  @Override
  public String performingThread() {
    return "forebay-" + NAME + "-0";
  }

  @Override
  public void write(Burst burst) {
    for (long number = burst.from(); number < burst.to(); number++) {
      write(burst.sql(number), number, burst);
    }
  }

  /**
   * Writes the statement of a burst with this number, but with the given text; waits while there is
   * no room, which on Kafka lasts until the broker acknowledges.
   */
  void write(String sql, long number, Burst burst) {
    while (true) {
      try {
        calls.executeUpdate(sql, number, burst.customer(number), burst.amount(number));
        return;
      } catch (QueueRefused e) {
        if (e.reason() != QueueRefused.Reason.FULL) {
          throw e;
        }
        LockSupport.parkNanos(FULL_NANOS);
      }
    }
  }

  @Override
  public void writeNothing(Burst burst) {
    EmptyCalls.write(burst);
  }

  @Override
  public void hold() {
    service.pause("the burst is written first");
  }

  @Override
  public void release() {
    service.resume();
  }

  @Override
  public int pollResults(Tally tally) {
    if (results == null) {
      results = service.createReader(new Counting(tally));
    }
    int read = results.poll(MOST_RESULTS_PER_POLL);
    if (read == 0) {
      ServiceState state = service.state();
      Contender.Performing.refuseAfter(state.phase() == Phase.FAILED ? state.cause() : null);
    }
    return read;
  }

  @Override
  public List<Path> queues() {
    return queues;
  }

  @Override
  public void close() throws SQLException {
    writer.close();
    service.close();
    backend.close();
    if (embedded != null) {
      embedded.close();
    }
  }

  private record Counting(Tally tally) implements JDBCResult {

    @Override
    public void updateResult(long count) {
      tally.updated(count);
    }

    @Override
    public void updateThrown(SqlFailure failure) {
      tally.failed();
    }

    @Override
    public void queryResult(Rows rows) {
      throw new IllegalStateException("unexpected result with rows");
    }

    @Override
    public void queryThrown(SqlFailure failure) {
      throw new IllegalStateException("unexpected result with rows");
    }
  }
}
