/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.call.Message;
import io.forebay.call.Writer;
import io.forebay.database.Dialect;
import io.forebay.hosting.HostedService;
import io.forebay.machine.Machine;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sends calls of one service in the caller's transaction; see {@link Outbox}. Thread-safe.
 *
 * <p>Messages of one partition key are handed over in the order of their commits, if their
 * transactions exclude each other, for example because each locks the row of its customer before it
 * sends. A listener that runs after the commit must send in a new transaction.
 *
 * @param <I> the interface of the calls
 */
public final class TransactionalCalls<I> {

  /** The namespace of the idempotency keys. */
  static final String CLIENT = "forebay/outbox"; // no token has this name

  private static final String INSERT =
      "insert into forebay_outbox (service, partition_number, message) values (?, ?, ?)";

  /** A message that is visible before its commit is durable could be sent, and the commit lost. */
  private static final String DURABLE =
      " returning case when current_setting('synchronous_commit') <> 'remote_apply'"
          + " then set_config('synchronous_commit', 'on', true) end";

  private final HostedService<I, ?> service;
  private final JdbcTemplate database;
  private final TransactionSynchronization wake;

  TransactionalCalls(HostedService<I, ?> service, JdbcTemplate database, Relay relay) {
    this.service = service;
    this.database = database;
    this.wake =
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            relay.wake();
          }
        };
    service.createWriter(new KeptMessage()); // throws if nothing may call the service
  }

  /**
   * Sends a call, to the partition that its id determines.
   *
   * @param call makes one call
   * @return the id of the message
   * @throws IllegalTransactionStateException if the thread has no transaction of this database, or
   *     is in {@code afterCompletion} of one that has ended
   * @throws io.forebay.queue.QueueRefused if the message is too large for the queue
   * @throws org.springframework.dao.DataAccessException if it could not be inserted
   */
  public UUID send(Consumer<I> call) {
    return sendTo(null, call);
  }

  /** As {@link #send(Consumer)}, to the partition of a key. */
  public UUID send(String partitionKey, Consumer<I> call) {
    return sendTo(partitionKey, call);
  }

  /** As the other methods; the id determines the partition if there is no key. */
  UUID sendTo(@Nullable String partitionKey, Consumer<? super I> call) {
    KeptMessage kept = new KeptMessage();
    Writer<I> writer = service.createWriter(kept);
    String key = Machine.uuid().toString();
    writer.keyed(CLIENT, key);
    if (partitionKey != null) {
      writer.partitionedBy(partitionKey);
    }
    call.accept(service.calls(writer));
    byte[] message = kept.message();
    if (!writer.lastId().equals(Message.keyedId(CLIENT, key))) {
      throw new IllegalStateException("Nothing sent: the call was made after one that failed");
    }
    insert(writer.lastPartition(), message);
    return writer.lastId();
  }

  private void insert(int partition, byte[] message) {
    database.execute((Connection connection) -> {
      mustBeInTransaction(connection);
      String sql = Dialect.of(connection) == Dialect.POSTGRESQL ? INSERT + DURABLE : INSERT;
      try (PreparedStatement insert = connection.prepareStatement(sql)) {
        insert.setString(1, service.name());
        insert.setInt(2, partition);
        insert.setBytes(3, message);
        return insert.execute();
      }
    });
    TransactionSynchronizationManager.registerSynchronization(wake);
  }

  /** In {@code afterCompletion} it still seems to be, but synchronization is over. */
  private void mustBeInTransaction(Connection connection) throws SQLException {
    if (!TransactionSynchronizationManager.isActualTransactionActive()
        || !TransactionSynchronizationManager.isSynchronizationActive()
        || connection.getAutoCommit()) {
      throw new IllegalTransactionStateException(
          "Nothing sent to service %s: the thread has no transaction of the database of the outbox; send in a method with @Transactional"
              .formatted(service.name()));
    }
  }
}
