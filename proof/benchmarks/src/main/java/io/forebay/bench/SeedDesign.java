/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.TargetTables.Hsqldb;
import io.forebay.bench.seed.JDBCResult;
import io.forebay.bench.seed.JDBCService;
import io.forebay.bench.seed.JDBCStatement;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import net.openhft.chronicle.bytes.MethodReader;
import net.openhft.chronicle.queue.ChronicleQueue;
import org.jspecify.annotations.Nullable;

/** The original design: its service, with generated method writers and readers. */
final class SeedDesign implements Contender.Performing {

  private static final int MOST_RESULTS_PER_POLL = 1_000;

  private final List<Path> folders;
  private final TargetTables tables;
  private final boolean embedded;
  private final ChronicleQueue in;
  private final ChronicleQueue out;
  private final JDBCService service;
  private final JDBCStatement writer;
  private @Nullable MethodReader reader;

  private SeedDesign(Path folder, TargetTables tables, boolean embedded) throws SQLException {
    this.tables = tables;
    this.embedded = embedded;
    tables.create();
    folders = List.of(folder.resolve("in"), folder.resolve("out"));
    in = ChronicleQueue.singleBuilder(folders.get(0)).sourceId(1).build();
    out = ChronicleQueue.singleBuilder(folders.get(1)).sourceId(2).build();
    service = new JDBCService(in, out, tables::connect);
    writer = service.createWriter();
  }

  static SeedDesign onHsqldb(Place place, Hsqldb mode) throws SQLException {
    return new SeedDesign(
        place.folder(), TargetTables.inHsqldb(place.folder(), mode, place.large()), true);
  }

  static SeedDesign onPostgresql(Place place) throws SQLException {
    return new SeedDesign(place.folder(), TargetTables.inPostgresql(place.postgresUrl()), false);
  }

  @Override
  public TargetTables tables() {
    return tables;
  }

  @Override
  public String performingThread() {
    return JDBCService.THREAD;
  }

  @Override
  public void write(Burst burst) {
    for (long number = burst.from(); number < burst.to(); number++) {
      writer.executeUpdate(burst.sql(number), number, burst.customer(number), burst.amount(number));
    }
  }

  @Override
  public void writeNothing(Burst burst) {
    EmptyCalls.write(burst);
  }

  @Override
  public void hold() {
    service.hold(true);
  }

  @Override
  public void release() {
    service.hold(false);
  }

  @Override
  public int pollResults(Tally tally) {
    if (reader == null) {
      reader = service.createReader(new Counting(tally));
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
  public List<Path> queues() {
    return folders;
  }

  @Override
  public void close() throws SQLException {
    service.close();
    in.close();
    out.close();
    if (embedded) {
      tables.shutdown();
    }
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
