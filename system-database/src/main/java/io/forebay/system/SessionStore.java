/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataIntegrityViolationException;

/**
 * Stores login sessions in the system database. Thread-safe. All methods throw {@link
 * io.forebay.service.progress.Unavailable} if the database does not respond.
 */
public final class SessionStore {

  private final SystemDatabase database;

  SessionStore(SystemDatabase database) {
    this.database = database;
  }

  public List<StoredSession> all() {
    return database.ask(ask ->
        ask.sql(
                "select hash, user_name, begun_at, used_at, address, role, statements"
                    + " from forebay.admin_session")
            .query((row, _) ->
                new StoredSession(
                    HexFormat.of().formatHex(row.getBytes("hash")),
                    row.getString("user_name"),
                    row.getObject("begun_at", OffsetDateTime.class).toInstant(),
                    row.getObject("used_at", OffsetDateTime.class).toInstant(),
                    row.getString("address"),
                    rights(row.getString("role"), row.getString("statements"))))
            .list());
  }

  private static StoredSession.@Nullable Rights rights(String role, String statements) {
    return role.isEmpty()
        ? null
        : new StoredSession.Rights(
            role, statements.isEmpty() ? List.of() : List.of(statements.split(" ")));
  }

  /**
   * @throws DataIntegrityViolationException if the session exists already
   */
  public void add(StoredSession session) {
    StoredSession.Rights rights = session.rights();
    database.ask(ask ->
        ask.sql(
                "insert into forebay.admin_session"
                    + " (hash, user_name, begun_at, used_at, address, role, statements)"
                    + " values (?, ?, ?, ?, ?, ?, ?)")
            .param(bytes(session.hash()))
            .param(session.user())
            .param(time(session.begunAt()))
            .param(time(session.usedAt()))
            .param(session.address())
            .param(rights == null ? "" : rights.role())
            .param(rights == null ? "" : String.join(" ", rights.statements()))
            .update());
  }

  /** Stores when a session was last used, if it still exists. */
  public void used(String hash, Instant at) {
    database.ask(ask ->
        ask.sql("update forebay.admin_session set used_at = ? where hash = ? and used_at < ?")
            .param(time(at))
            .param(bytes(hash))
            .param(time(at))
            .update());
  }

  public void remove(String hash) {
    database.ask(ask ->
        ask.sql("delete from forebay.admin_session where hash = ?").param(bytes(hash)).update());
  }

  /** Deletes all sessions of a user except one. */
  public void removeOthers(String user, String hash) {
    database.ask(ask ->
        ask.sql("delete from forebay.admin_session where user_name = ? and hash <> ?")
            .param(user)
            .param(bytes(hash))
            .update());
  }

  /** Deletes sessions that were last used, or begun, before these times. */
  public void removeExpired(Instant used, Instant begun) {
    database.ask(ask ->
        ask.sql("delete from forebay.admin_session where used_at < ? or begun_at < ?")
            .param(time(used))
            .param(time(begun))
            .update());
  }

  private static byte[] bytes(String hash) {
    return HexFormat.of().parseHex(hash);
  }

  private static OffsetDateTime time(Instant instant) {
    return OffsetDateTime.ofInstant(instant, ZoneOffset.UTC);
  }
}
