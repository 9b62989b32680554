/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The tokens in the system database, by name. Thread-safe. */
public final class TokenStore {

  private static final String COLUMNS = "name, hash, role, statements, created_by, created_at";

  private final SystemDatabase database;

  TokenStore(SystemDatabase database) {
    this.database = database;
  }

  /**
   * In the order of their names.
   *
   * @throws io.forebay.service.progress.Unavailable if the database does not answer
   */
  public List<StoredToken> all() {
    return database.ask(ask ->
        ask.sql("select " + COLUMNS + " from forebay.token order by name")
            .query((row, _) -> token(row))
            .list());
  }

  /**
   * @return whether it was added; not if the name is taken
   * @throws io.forebay.service.progress.Unavailable if the database does not answer
   */
  public boolean add(StoredToken token) {
    try {
      return database.ask(ask -> insert(ask, token));
    } catch (DataIntegrityViolationException _) {
      return false;
    }
  }

  private static boolean insert(JdbcClient ask, StoredToken token) {
    return ask.sql("insert into forebay.token (" + COLUMNS + ") values (?, ?, ?, ?, ?, ?)")
            .param(token.name())
            .param(HexFormat.of().parseHex(token.hash()))
            .param(token.role())
            .param(String.join(" ", token.statements()))
            .param(token.createdBy())
            .param(OffsetDateTime.ofInstant(token.createdAt(), ZoneOffset.UTC))
            .update()
        == 1;
  }

  /**
   * Replaces a token by one of the same name. The role of the system database need not be allowed
   * to update.
   *
   * @return whether that was done; not if it is another by now
   * @throws io.forebay.service.progress.Unavailable if the database does not answer
   */
  public boolean replace(StoredToken before, StoredToken token) {
    return database.inTransaction(ask ->
        ask.sql("delete from forebay.token where name = ? and hash = ?")
                    .param(before.name())
                    .param(HexFormat.of().parseHex(before.hash()))
                    .update()
                == 1
            && insert(ask, token));
  }

  /**
   * Removes a token, unless it is the last of role admin.
   *
   * @throws io.forebay.service.progress.Unavailable if the database does not answer
   */
  public synchronized Removal remove(String name) {
    // One process at a time here, and on PostgreSQL the isolation keeps instances apart: HSQLDB's
    // would let two transactions remove two tokens, each counting on the other.
    return database.inTransaction(ask -> Administrators.remove(ask, "forebay.token", name));
  }

  /** What came of the wish to remove a token or a user. */
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
        row.getObject("created_at", OffsetDateTime.class).toInstant());
  }
}
