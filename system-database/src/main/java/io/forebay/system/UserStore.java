/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.springframework.dao.DataIntegrityViolationException;

/** Those who may log in, in the system database, by name. Thread-safe. */
public final class UserStore {

  private static final String COLUMNS = "name, password, role, must_change, created_by, created_at";

  private final SystemDatabase database;

  UserStore(SystemDatabase database) {
    this.database = database;
  }

  /**
   * In the order of their names.
   *
   * @throws io.forebay.service.progress.Unavailable if the database does not answer
   */
  public List<StoredUser> all() {
    return database.ask(ask ->
        ask.sql("select " + COLUMNS + " from forebay.admin_user order by name")
            .query((row, _) -> user(row))
            .list());
  }

  /**
   * @throws io.forebay.service.progress.Unavailable if the database does not answer
   */
  public Optional<StoredUser> find(String name) {
    return database.ask(ask ->
        ask.sql("select " + COLUMNS + " from forebay.admin_user where name = ?")
            .param(name)
            .query((row, _) -> user(row))
            .optional());
  }

  /**
   * @return whether it was added; not if the name is taken
   * @throws io.forebay.service.progress.Unavailable if the database does not answer
   */
  public boolean add(StoredUser user) {
    try {
      return database.ask(ask ->
          ask.sql("insert into forebay.admin_user (" + COLUMNS + ") values (?, ?, ?, ?, ?, ?)")
                  .param(user.name())
                  .param(user.password())
                  .param(user.role())
                  .param(user.mustChange())
                  .param(user.createdBy())
                  .param(OffsetDateTime.ofInstant(user.createdAt(), ZoneOffset.UTC))
                  .update()
              == 1);
    } catch (DataIntegrityViolationException _) {
      return false;
    }
  }

  /**
   * Sets the password that its user has chosen, if it is still the one before; nobody must change
   * it then.
   *
   * @param before the hash of the password until now
   * @param password the hash of the new one
   * @return whether it was changed
   * @throws io.forebay.service.progress.Unavailable if the database does not answer
   */
  public boolean changePassword(String name, String before, String password) {
    return database.ask(ask ->
        ask.sql(
                    "update forebay.admin_user set password = ?, must_change = false"
                        + " where name = ? and password = ?")
                .param(password)
                .param(name)
                .param(before)
                .update()
            == 1);
  }

  /**
   * Gives a user who has to change it another password; he still has to.
   *
   * @param before the hash of the password until now
   * @param password the hash of the new one
   * @return whether it was given; not if he has another by now
   * @throws io.forebay.service.progress.Unavailable if the database does not answer
   */
  public boolean givePassword(String name, String before, String password) {
    return database.ask(ask ->
        ask.sql(
                    "update forebay.admin_user set password = ?"
                        + " where name = ? and password = ? and must_change")
                .param(password)
                .param(name)
                .param(before)
                .update()
            == 1);
  }

  /**
   * Removes a user with all sessions, unless it is the last of role admin.
   *
   * @throws io.forebay.service.progress.Unavailable if the database does not answer
   */
  public synchronized TokenStore.Removal remove(String name) {
    // As for tokens: one at a time here, and PostgreSQL keeps instances apart.
    return database.inTransaction(ask -> {
      TokenStore.Removal removal = Administrators.remove(ask, "forebay.admin_user", name);
      if (removal == TokenStore.Removal.REMOVED) {
        ask.sql("delete from forebay.admin_session where user_name = ?").param(name).update();
      }
      return removal;
    });
  }

  private static StoredUser user(ResultSet row) throws SQLException {
    return new StoredUser(
        row.getString("name"),
        row.getString("password"),
        row.getString("role"),
        row.getBoolean("must_change"),
        row.getString("created_by"),
        row.getObject("created_at", OffsetDateTime.class).toInstant());
  }
}
