/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Ensures that the last token and the last user of role admin cannot be deleted. */
final class Administrators {

  private static final String ADMIN = "admin";

  private Administrators() {}

  /**
   * Deletes the row with this name, unless it is the last one of role admin. Call it in a
   * serializable transaction.
   *
   * @param table with columns name and role
   * @param counts the condition of rows that count as another one; may use {@code :name}
   */
  static TokenStore.Removal remove(JdbcClient ask, String table, String counts, String name) {
    Optional<String> role =
        ask.sql("select role from " + table + " where name = ?")
            .param(name)
            .query(String.class)
            .optional();
    if (role.isEmpty()) {
      return TokenStore.Removal.UNKNOWN;
    }
    if (role.get().equals(ADMIN) && isLast(ask, table, counts, name)) {
      return TokenStore.Removal.LAST_ADMIN;
    }
    ask.sql("delete from " + table + " where name = ?").param(name).update();
    return TokenStore.Removal.REMOVED;
  }

  private static boolean isLast(JdbcClient ask, String table, String counts, String name) {
    return ask.sql(
                "select count(*) from " + table + " where role = :role and name <> :name" + counts)
            .param("role", ADMIN)
            .param("name", name)
            .query(Long.class)
            .single()
        == 0;
  }
}
