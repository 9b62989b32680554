/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.endpoints;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue in memory in front of the table, as in the article that {@code ingest} compares with: an
 * order is acknowledged when it is in the queue, and a thread inserts the orders in batches. What
 * is in the queue or fails is lost. Thread-safe.
 */
final class MemoryQueue implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(MemoryQueue.class);
  private static final int CAPACITY = 1_000_000;
  private static final int BATCH = 1_000;

  private final BlockingQueue<Order> orders = new ArrayBlockingQueue<>(CAPACITY);
  private final DataSource database;
  private final Thread thread;

  MemoryQueue(DataSource database) {
    this.database = database;
    thread = Thread.ofPlatform().daemon().name("memory-queue").start(this::insertAll);
  }

  /** Waits while the queue is full. */
  void add(Order order) throws InterruptedException {
    orders.put(order);
  }

  private void insertAll() {
    List<Order> batch = new ArrayList<>();
    try {
      while (true) {
        batch.add(orders.take());
        orders.drainTo(batch, BATCH - 1);
        insert(batch);
        batch.clear();
      }
    } catch (InterruptedException e) {
      // closed
    } catch (SQLException e) {
      log.error("{} orders were not inserted; no more are", batch.size(), e);
    }
  }

  private void insert(List<Order> batch) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement statement = connection.prepareStatement(Order.INSERT)) {
      connection.setAutoCommit(false);
      for (Order order : batch) {
        order.bind(statement);
        statement.addBatch();
      }
      statement.executeBatch();
      connection.commit();
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
