/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.sender.SenderKeys;
import io.forebay.service.progress.Unavailable;
import java.security.SecureRandom;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A key that the instances share in the system database. The first instance makes it. It is read
 * once: later the database may be unavailable. Thread-safe.
 */
final class SenderKeyTable implements SenderKeys {

  private static final int BYTES = 32;

  private final Supplier<SystemDatabase> database;
  private @Nullable String key;

  /**
   * @param database opened when the key is first read: an embedded one is opened after the queues
   */
  SenderKeyTable(Supplier<SystemDatabase> database) {
    this.database = database;
  }

  @Override
  public synchronized List<String> keys() {
    String known = key;
    if (known == null) {
      known = read(it -> it.ask(SenderKeyTable::find).orElseGet(this::make));
      key = known;
    }
    return List.of(known);
  }

  private <T> T read(Function<SystemDatabase, T> question) {
    try {
      return question.apply(database.get());
    } catch (Unavailable e) {
      throw new QueueUnavailable("the key of senders cannot be read: " + e.getMessage(), e);
    }
  }

  private static Optional<String> find(JdbcClient ask) {
    return ask.sql("select secret from forebay.sender_key").query(String.class).optional();
  }

  private String make() {
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    try {
      database
          .get()
          .ask(ask ->
              ask.sql(
                      "insert into forebay.sender_key (only_row, secret, created_at) values (1, ?,"
                          + " ?)")
                  .param(Base64.getEncoder().encodeToString(random))
                  .param(OffsetDateTime.now(ZoneOffset.UTC))
                  .update());
    } catch (DataIntegrityViolationException _) {
      // another instance has just made one
    }
    return database.get().ask(SenderKeyTable::find).orElseThrow();
  }
}
