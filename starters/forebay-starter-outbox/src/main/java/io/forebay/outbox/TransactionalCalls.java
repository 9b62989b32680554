/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.call.Writer;
import io.forebay.hosting.HostedService;
import io.forebay.machine.Machine;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import java.util.function.Consumer;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sends calls of one service in the caller's transaction; see {@link Outbox}. Thread-safe.
 *
 * <p>Messages of one partition key are handed over in the order of their commits, if their
 * transactions exclude each other, for example because each locks the row of its customer before it
 * sends.
 *
 * @param <I> the interface of the calls
 */
public final class TransactionalCalls<I> {

  /** The namespace of the idempotency keys. */
  static final String CLIENT = "outbox";

  private static final String INSERT =
      "insert into forebay_outbox (service, partition_number, message) values (?, ?, ?)";

  private final String service;
  private final JdbcTemplate database;
  private final TransactionSynchronization wake;
  private final KeptMessage kept = new KeptMessage();
  private final Writer<I> writer;
  private final I calls;

  TransactionalCalls(HostedService<I, ?> service, JdbcTemplate database, Relay relay) {
    this.service = service.name();
    this.database = database;
    this.wake =
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            relay.wake();
          }
        };
    this.writer = service.createWriter(kept);
    this.calls = service.calls(writer);
  }

  /**
   * Sends a call, to the partition that its id determines.
   *
   * @param call makes one call
   * @return the id of the message
   * @throws IllegalTransactionStateException if the thread has no transaction of this database
   * @throws io.forebay.queue.QueueRefused if the message is too large for the queue
   * @throws org.springframework.dao.DataAccessException if it could not be inserted
   */
  public UUID send(Consumer<I> call) {
    return insert(encode(Machine.uuid().toString(), call));
  }

  /** As {@link #send(Consumer)}, to the partition of a key. */
  public UUID send(String partitionKey, Consumer<I> call) {
    return insert(encode(partitionKey, call));
  }

  private record Encoded(UUID id, int partition, byte[] message) {}

  private synchronized Encoded encode(String partitionKey, Consumer<I> call) {
    writer.keyed(CLIENT, Machine.uuid().toString()).partitionedBy(partitionKey);
    kept.clear();
    call.accept(calls);
    return new Encoded(writer.lastId(), writer.lastPartition(), kept.message());
  }

  private UUID insert(Encoded encoded) {
    database.execute((Connection connection) -> {
      mustBeInTransaction(connection);
      try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
        insert.setString(1, service);
        insert.setInt(2, encoded.partition);
        insert.setBytes(3, encoded.message);
        return insert.executeUpdate();
      }
    });
    TransactionSynchronizationManager.registerSynchronization(wake);
    return encoded.id;
  }

  private void mustBeInTransaction(Connection connection) throws SQLException {
    if (!TransactionSynchronizationManager.isActualTransactionActive()
        || connection.getAutoCommit()) {
      throw new IllegalTransactionStateException(
          "Nothing sent to service %s: the thread has no transaction of the database of the outbox; send in a method with @Transactional"
              .formatted(service));
    }
  }
}
