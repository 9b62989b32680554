/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.chunk.CallCollector;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.springframework.batch.infrastructure.item.ItemProcessor;

/**
 * A hand-written solution: contracts are read by key, each has a virtual thread, and the letters of
 * five thousand contracts are one JDBC batch and one commit. It stores no progress, neither skips
 * nor retries, and a kill leaves partial results.
 */
final class BareLetters {

  private static final int CHUNK = LettersContender.STEP_CHUNK;

  private final DataSource database;
  private final ItemProcessor<Contract, Letter> body;

  BareLetters(DataSource database, ItemProcessor<Contract, Letter> body) {
    this.database = database;
    this.body = body;
  }

  void write(CallCollector collector, long run, long contracts)
      throws SQLException, InterruptedException, ExecutionException {
    try (Connection connection = database.getConnection();
        PreparedStatement read =
            connection.prepareStatement(
                "select id, owner, product, premium from contract where id > ? and id <= ?"
                    + " order by id limit "
                    + CHUNK);
        PreparedStatement insert =
            connection.prepareStatement(
                "insert into letter (run, contract, body) values (?, ?, ?)")) {
      connection.setAutoCommit(false);
      List<Contract> chunk = read(read, 0, contracts);
      while (!chunk.isEmpty()) {
        List<Callable<Letter>> bodies = new ArrayList<>(chunk.size());
        chunk.forEach(contract -> bodies.add(() -> body.process(contract)));
        for (Future<Letter> letter : collector.startAll(bodies)) {
          insert.setLong(1, run);
          insert.setLong(2, letter.get().contract());
          insert.setString(3, letter.get().text());
          insert.addBatch();
        }
        insert.executeBatch();
        connection.commit();
        chunk = read(read, chunk.getLast().id(), contracts);
      }
    }
  }

  private static List<Contract> read(PreparedStatement statement, long after, long last)
      throws SQLException {
    statement.setLong(1, after);
    statement.setLong(2, last);
    List<Contract> contracts = new ArrayList<>(CHUNK);
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        contracts.add(
            new Contract(
                rows.getLong(1), rows.getLong(2), rows.getString(3), rows.getBigDecimal(4)));
      }
    }
    return contracts;
  }
}
