/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import org.springframework.dao.DuplicateKeyException;

/** Stores tokens by name in the system database. Thread-safe. */
public final class TokenStore {

  private static final String COLUMNS =
      "name, hash, role, statements, created_by, created_at, expires_at";

  /** It has not ended, and ends no earlier than the one that is deleted. */
  private static final String LASTS =
      " and expires_at > current_timestamp"
          + " and expires_at >= (select expires_at from forebay.token where name = :name)";

  private final SystemDatabase database;

  TokenStore(SystemDatabase database) {
    this.database = database;
  }

  /**
   * Returns all tokens, ordered by name.
   *
   * @throws io.forebay.service.progress.Unavailable if the database does not respond
   */
  public List<StoredToken> all() {
    return database.ask(ask ->
        ask.sql("select " + COLUMNS + " from forebay.token order by name")
            .query((row, _) -> token(row))
            .list());
  }

  /**
   * @return whether it was added; false if the name is taken
   * @throws io.forebay.service.progress.Unavailable if the database does not respond
   */
  public boolean add(StoredToken token) {
    try {
      return database.command(ask ->
          ask.sql("insert into forebay.token (" + COLUMNS + ") values (?, ?, ?, ?, ?, ?, ?)")
                  .param(token.name())
                  .param(HexFormat.of().parseHex(token.hash()))
                  .param(token.role())
                  .param(String.join(" ", token.statements()))
                  .param(token.createdBy())
                  .param(time(token.createdAt()))
                  .param(time(token.expiresAt()))
                  .update()
              == 1);
    } catch (DuplicateKeyException _) {
      return false;
    }
  }

  /**
   * Deletes a token, unless it is of role admin and no other one of this role lasts as long.
   *
   * @throws io.forebay.service.progress.Unavailable if the database does not respond
   */
  public synchronized Removal remove(String name) {
    // PostgreSQL's isolation prevents concurrent transactions from deleting the last two tokens.
    // HSQLDB's does not, so this method is synchronized.
    return database.commandInTransaction(
        ask -> Administrators.remove(ask, "forebay.token", LASTS, name));
  }

  /** The outcome of deleting a token or a user. */
  public enum Removal {
    REMOVED,
    UNKNOWN,
    LAST_ADMIN
  }

  private static StoredToken token(ResultSet row) throws SQLException {
    String statements = row.getString("statements");
    return new StoredToken(
        row.getString("name"),
        HexFormat.of().formatHex(row.getBytes("hash")),
        row.getString("role"),
        statements.isEmpty() ? List.of() : List.of(statements.split(" ")),
        row.getString("created_by"),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        row.getObject("expires_at", OffsetDateTime.class).toInstant());
  }

  private static OffsetDateTime time(Instant instant) {
    return OffsetDateTime.ofInstant(instant, ZoneOffset.UTC);
  }
}
