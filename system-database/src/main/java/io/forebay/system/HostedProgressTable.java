/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.service.progress.HostedProgress;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.dao.DataIntegrityViolationException;

/**
 * Stores in the system database which queues hosted services and chunk services perform.
 * Thread-safe.
 */
final class HostedProgressTable implements HostedProgress {

  private final SystemDatabase database;

  HostedProgressTable(SystemDatabase database) {
    this.database = database;
  }

  @Override
  public boolean isShared() {
    return database.isShared();
  }

  @Override
  public Map<Integer, Entry> find(String service) {
    return database.ask(ask -> {
      Map<Integer, Entry> entries = new TreeMap<>();
      ask.sql(
              "select partition_id, queue_id, next_position, drained from forebay.hosted_progress"
                  + " where service = ?")
          .param(service)
          .query(row -> {
            entries.put(
                row.getInt(1), new Entry(row.getString(2), row.getLong(3), row.getBoolean(4)));
          });
      return entries;
    });
  }

  @Override
  public void keep(String service, int partition, Entry entry) {
    if (update(service, partition, entry) == 0) {
      try {
        database.ask(ask ->
            ask.sql(
                    "insert into forebay.hosted_progress"
                        + " (queue_id, next_position, drained, service, partition_id)"
                        + " values (?, ?, ?, ?, ?)")
                .params(entry.queueId(), entry.position(), entry.drained(), service, partition)
                .update());
      } catch (DataIntegrityViolationException _) {
        update(service, partition, entry); // another instance has just inserted the row
      }
    }
  }

  private int update(String service, int partition, Entry entry) {
    return database.ask(ask ->
        ask.sql(
                "update forebay.hosted_progress set queue_id = ?, next_position = ?, drained = ?"
                    + " where service = ? and partition_id = ?")
            .params(entry.queueId(), entry.position(), entry.drained(), service, partition)
            .update());
  }
}
