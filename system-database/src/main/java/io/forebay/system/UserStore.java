/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.queue.QueueUnavailable;
import io.forebay.service.progress.Unavailable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.springframework.dao.DuplicateKeyException;

/** Stores users by name in the system database. Thread-safe. */
public final class UserStore {

  private static final String COLUMNS =
      "name, password, role, must_change, created_by, created_at, statements, logouts";

  /**
   * The first password of the first user does not end; that of another user does, unless it is
   * changed in time. Who remains can log in for ever, unless the deleted user cannot either.
   */
  private static final String LASTS =
      " and (must_change = false or created_by = 'system'"
          + " or exists (select 1 from forebay.admin_user"
          + " where name = :name and must_change = true and created_by <> 'system'))";

  private final SystemDatabase database;
  private final SenderKeyTable keys;

  UserStore(SystemDatabase database) {
    this.database = database;
    this.keys = new SenderKeyTable(() -> database);
  }

  /**
   * The secret that the instances share.
   *
   * @throws Unavailable if the database does not respond
   */
  public String secret() {
    try {
      return keys.keys().getFirst();
    } catch (QueueUnavailable e) { // it also proves to queues who sent a message
      throw new Unavailable(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Returns all users, ordered by name.
   *
   * @throws io.forebay.service.progress.Unavailable if the database does not respond
   */
  public List<StoredUser> all() {
    return database.ask(ask ->
        ask.sql("select " + COLUMNS + " from forebay.admin_user order by name")
            .query((row, _) -> user(row))
            .list());
  }

  /**
   * @throws io.forebay.service.progress.Unavailable if the database does not respond
   */
  public Optional<StoredUser> find(String name) {
    return database.ask(ask ->
        ask.sql("select " + COLUMNS + " from forebay.admin_user where name = ?")
            .param(name)
            .query((row, _) -> user(row))
            .optional());
  }

  /**
   * @return whether it was added; false if the name is taken
   * @throws io.forebay.service.progress.Unavailable if the database does not respond
   */
  public boolean add(StoredUser user) {
    try {
      return database.command(ask ->
          ask.sql(
                      "insert into forebay.admin_user ("
                          + COLUMNS
                          + ") values (?, ?, ?, ?, ?, ?, ?, ?)")
                  .param(user.name())
                  .param(user.password())
                  .param(user.role())
                  .param(user.mustChange())
                  .param(user.createdBy())
                  .param(OffsetDateTime.ofInstant(user.createdAt(), ZoneOffset.UTC))
                  .param(String.join(" ", user.statements()))
                  .param(user.logouts())
                  .update()
              == 1);
    } catch (DuplicateKeyException _) {
      return false;
    }
  }

  /**
   * Sets the password that the user has chosen, if the stored one is still {@code before}. The user
   * no longer has to change it.
   *
   * @param before the hash of the current password
   * @param password the hash of the new password
   * @return whether it was changed
   * @throws io.forebay.service.progress.Unavailable if the database does not respond
   */
  public boolean changePassword(String name, String before, String password) {
    return database.command(ask ->
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
   * Ends all logins of a user.
   *
   * @throws io.forebay.service.progress.Unavailable if the database does not respond
   */
  public void logOut(String name) {
    database.command(ask ->
        ask.sql("update forebay.admin_user set logouts = logouts + 1 where name = ?")
            .param(name)
            .update());
  }

  /**
   * Deletes a user, unless it is of role admin and no other one of this role lasts: the password
   * that somebody else has set for a user expires.
   *
   * @throws io.forebay.service.progress.Unavailable if the database does not respond
   */
  public synchronized TokenStore.Removal remove(String name) {
    // synchronized for the same reason as TokenStore.remove
    return database.commandInTransaction(
        ask -> Administrators.remove(ask, "forebay.admin_user", LASTS, name));
  }

  private static StoredUser user(ResultSet row) throws SQLException {
    String statements = row.getString("statements");
    return new StoredUser(
        row.getString("name"),
        row.getString("password"),
        row.getString("role"),
        row.getBoolean("must_change"),
        row.getString("created_by"),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        statements.isEmpty() ? List.of() : List.of(statements.split(" ")),
        row.getInt("logouts"));
  }
}
