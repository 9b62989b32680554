/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.hosting.HostedService;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Sends statements and calls in the caller's own transaction: they are sent if it commits, and only
 * then. Thread-safe.
 *
 * <p>A sent message is in table {@code forebay_outbox} of the caller's database until its service
 * has accepted it. It is lost only with that database. A gateway performs it once; any other
 * service may get it again after a crash, with the same {@link io.forebay.call.Message#id id}.
 */
public final class Outbox {

  private final JdbcTemplate database;
  private final Relay relay;

  /**
   * @param database whose transactions are the caller's
   */
  Outbox(DataSource database, Relay relay) {
    this.database = new JdbcTemplate(database);
    this.relay = relay;
  }

  /**
   * The calls of a service; of a gateway, its statements. Create it once.
   *
   * @param service that runs in this process, and in every other process that uses the database
   */
  public <I> TransactionalCalls<I> calls(HostedService<I, ?> service) {
    return new TransactionalCalls<>(service, database, relay);
  }
}
