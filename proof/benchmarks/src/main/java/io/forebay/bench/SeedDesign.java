/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.Contender.Performing;
import io.forebay.bench.seed.JDBCComponent;
import io.forebay.bench.seed.JDBCResult;
import io.forebay.bench.seed.JDBCStatement;
import io.forebay.bench.seed.SeedService;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import net.openhft.chronicle.bytes.MethodReader;
import net.openhft.chronicle.threads.LongPauser;
import org.jspecify.annotations.Nullable;

/** The original design: its service, with generated method writers and readers. */
final class SeedDesign extends BareQueues {

  private static final String THREAD = "seed-service";

  private final Connection connection;
  private final SeedService service;
  private final JDBCStatement writer;
  private @Nullable MethodReader reader;

  SeedDesign(Path folder, TargetTables tables) throws SQLException {
    super(folder, tables, 1);
    connection = tables.database().connect();
    service =
        new SeedService(
            in,
            out,
            new LongPauser(50, 200, 1, 10, TimeUnit.MILLISECONDS),
            THREAD,
            answers -> new JDBCComponent(connection, answers.methodWriter(JDBCResult.class)));
    writer = in.createAppender().methodWriter(JDBCStatement.class);
  }

  @Override
  public String performingThread() {
    return THREAD;
  }

  @Override
  public void write(Burst burst) {
    for (long number = burst.from(); number < burst.to(); number++) {
      writer.executeUpdate(Burst.INSERT, number, Burst.customer(number), burst.amount(number));
    }
  }

  @Override
  public void writeNothing(Burst burst) {
    EmptyCalls.write(burst);
  }

  @Override
  public void hold(boolean held) {
    service.hold(held);
  }

  @Override
  public int pollResults(Tally tally) {
    if (reader == null) {
      reader = out.createTailer().methodReader(new Counting(tally));
    }
    int read = 0;
    while (read < MOST_RESULTS_PER_POLL && reader.readOne()) {
      read++;
    }
    if (read == 0) {
      Performing.refuseAfter(service.failure());
    }
    return read;
  }

  @Override
  protected void stop() throws SQLException {
    service.close();
    connection.close();
  }

  private record Counting(Tally tally) implements JDBCResult {
    @Override
    public void updateResult(long count, String update, Object... args) {
      tally.updated(count);
    }

    @Override
    public void updateThrown(Throwable thrown, String update, Object... args) {
      tally.failed();
    }
  }
}
