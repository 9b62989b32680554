/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.Contender.Performing;
import io.forebay.call.Reader;
import io.forebay.call.Writer;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.chronicle.ChronicleBackend.Writing;
import io.forebay.database.EmbeddedDatabase;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Results;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.jdbc.StatementCatalogue.Known;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueRefused;
import io.forebay.service.ServiceState;
import io.forebay.service.ServiceState.Phase;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Forebay's gateway as a program uses it, with queues at level {@code process}. */
final class Forebay implements Contender.Performing {

  /** Messages carry SQL text; statements of the burst may be reordered. */
  private static final StatementCatalogue INDEPENDENT =
      new StatementCatalogue() {
        @Override
        public Entry find(String gateway, String reference) {
          throw new NoSuchElementException("the messages of the burst carry SQL text");
        }

        @Override
        public @Nullable Known known(String gateway, String text) {
          return text.equals(Burst.INSERT) ? new Known("burst", List.of(), true, false) : null;
        }
      };

  /** The user of the embedded database that performs statements. */
  private static final String EMBEDDED_GATEWAY = "forebay_gateway";

  private static final int MOST_RESULTS_PER_POLL = 1_000;
  private static final String NAME = "burst";
  private static final String QUEUES = "queues";
  private static final long FULL_NANOS = 1_000_000;

  private final Path folder;
  private final TargetTables tables;
  private final @Nullable EmbeddedDatabase embedded;
  private final String sql;
  private final QueueBackend backend;
  private final JDBCService service;
  private final Writer<JDBCStatement> writer;
  private final JDBCStatement calls;
  private @Nullable Reader<JDBCResult> results;

  /**
   * @param database sets the database of the gateway
   * @param sql the text of the statements
   */
  private Forebay(
      Path folder,
      Writing writing,
      TargetTables tables,
      @Nullable EmbeddedDatabase embedded,
      UnaryOperator<JDBCService.Builder> database,
      String sql) {
    this.folder = folder;
    this.tables = tables;
    this.embedded = embedded;
    this.sql = sql;
    backend =
        ChronicleBackend.open(
            folder.resolve(QUEUES), ChronicleBackend.Options.defaults().withWriting(writing));
    service =
        database
            .apply(JDBCService.builder(NAME).queues(backend, 1))
            .acceptText(true)
            .catalogue(INDEPENDENT)
            .build();
    service.start();
    writer = service.createWriter();
    calls = writer.calls();
  }

  static Forebay onHsqldb(Path folder, Results kept) throws SQLException {
    EmbeddedDatabase database = EmbeddedDatabase.open(folder.resolve("database"));
    TargetTables tables = TargetTables.inHsqldb(database.owner());
    tables.grantTo(EMBEDDED_GATEWAY);
    return new Forebay(
        folder,
        Writing.DIRECT,
        tables,
        database,
        it -> it.dataSource(database.gateway()).migrate(database.owner()).results(kept),
        Burst.INSERT);
  }

  static Forebay onPostgresql(Path folder, String url, Writing writing, String sql)
      throws SQLException {
    TargetTables tables = TargetTables.inPostgresql(url);
    tables.grantTo(Postgres.GATEWAY);
    return new Forebay(folder, writing, tables, null, it -> Postgres.databaseOf(it, url), sql);
  }

  @Override
  public TargetTables effects() {
    return tables;
  }

  @Override
  public String performingThread() {
    return "forebay-" + NAME + "-0";
  }

  @Override
  public void write(Burst burst) {
    for (long number = burst.from(); number < burst.to(); number++) {
      write(number, burst);
    }
  }

  /** Writes a statement; waits while there is no room. */
  private void write(long number, Burst burst) {
    while (true) {
      try {
        calls.executeUpdate(sql, number, Burst.customer(number), burst.amount(number));
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
  public void hold(boolean held) {
    if (held) {
      service.pause("the burst is written first");
    } else {
      service.resume();
    }
  }

  @Override
  public int pollResults(Tally tally) {
    if (results == null) {
      results = service.createReader(new Counting(tally));
    }
    int read = results.poll(MOST_RESULTS_PER_POLL);
    if (read == 0) {
      ServiceState state = service.state();
      Performing.refuseAfter(state.phase() == Phase.FAILED ? state.cause() : null);
    }
    return read;
  }

  @Override
  public List<Path> queues() {
    return List.of(folder.resolve(QUEUES));
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
