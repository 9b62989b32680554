/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.Contender.Performing;
import io.forebay.chronicle.ChronicleBackend.Writing;
import java.nio.file.Path;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Ways to keep a backlog of messages of equal length, and to drain it. */
enum BacklogContender {
  /** The gateway, performing on PostgreSQL. */
  FOREBAY_DIRECT,
  /** The same, writing through a ring in memory. */
  FOREBAY_ASYNC,
  /** Chronicle Queue alone; to drain it is to read it. */
  BARE_APPEND;

  /** The length of a message with its frame, as in the article. */
  static final int MESSAGE_BYTES = 256;

  /** The text of a statement is padded, so that its message has the given length. */
  static String sql() {
    return Burst.INSERT + " ".repeat(MESSAGE_BYTES - Burst.messageBytes(Burst.INSERT));
  }

  /**
   * @param postgres an empty database; null if it needs none
   */
  Performing open(Path folder, @Nullable String postgres) throws SQLException {
    return switch (this) {
      case FOREBAY_DIRECT -> Forebay.onPostgresql(folder, postgres, Writing.DIRECT, sql());
      case FOREBAY_ASYNC -> Forebay.onPostgresql(folder, postgres, Writing.ASYNC, sql());
      case BARE_APPEND -> new BareBacklog(folder);
    };
  }

  boolean needsPostgresql() {
    return this != BARE_APPEND;
  }
}
