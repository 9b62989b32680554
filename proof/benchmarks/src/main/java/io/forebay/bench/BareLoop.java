/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.TargetTables.Hsqldb;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.wire.DocumentContext;
import org.jspecify.annotations.Nullable;

/**
 * A hand-written solution for exactly this work: raw messages with only the columns, a JDBC batch
 * with a compare-and-set of the progress in the same commit, a result of 16 bytes. It supports no
 * other statement, detects no damage, and isolates no failure.
 */
final class BareLoop implements Contender.Performing {

  private static final int MOST_RESULTS_PER_POLL = 1_000;

  private final List<Path> folders;
  private final TargetTables tables;
  private final boolean embedded;
  private final ChronicleQueue in;
  private final ChronicleQueue out;
  private final ExcerptAppender appender;
  private final BareLoopService service;
  private @Nullable ExcerptTailer results;

  private BareLoop(Path folder, TargetTables tables, boolean embedded) throws SQLException {
    this.tables = tables;
    this.embedded = embedded;
    tables.create();
    folders = List.of(folder.resolve("in"), folder.resolve("out"));
    in = ChronicleQueue.singleBuilder(folders.get(0)).build();
    out = ChronicleQueue.singleBuilder(folders.get(1)).build();
    appender = in.createAppender();
    service = new BareLoopService(in, out, tables);
  }

  static BareLoop onHsqldb(Place place) throws SQLException {
    return new BareLoop(
        place.folder(), TargetTables.inHsqldb(place.folder(), Hsqldb.DURABLE, place.large()), true);
  }

  static BareLoop onPostgresql(Place place) throws SQLException {
    return new BareLoop(place.folder(), TargetTables.inPostgresql(place.postgresUrl()), false);
  }

  @Override
  public TargetTables tables() {
    return tables;
  }

  @Override
  public String performingThread() {
    return BareLoopService.THREAD;
  }

  @Override
  public void write(Burst burst) {
    for (long number = burst.from(); number < burst.to(); number++) {
      try (DocumentContext context = appender.writingDocument()) {
        Bytes<?> bytes = context.wire().bytes();
        bytes.writeBoolean(burst.isPayment(number));
        bytes.writeLong(number);
        bytes.writeDouble(burst.amount(number));
        bytes.write8bit(burst.customer(number));
      }
    }
  }

  @Override
  public void writeNothing(Burst burst) {
    // It has no arguments that a caller would have to allocate.
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
    if (results == null) {
      results = out.createTailer();
    }
    for (int read = 0; read < MOST_RESULTS_PER_POLL; read++) {
      try (DocumentContext context = results.readingDocument()) {
        if (!context.isPresent()) {
          Performing.refuseAfter(service.failure());
          return read;
        }
        Bytes<?> bytes = context.wire().bytes();
        bytes.readLong(); // the position of the statement
        tally.updated(bytes.readLong());
      }
    }
    return MOST_RESULTS_PER_POLL;
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
}
