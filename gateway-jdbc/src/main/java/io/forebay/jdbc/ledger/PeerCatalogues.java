/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forebay.database.SqlErrors;
import io.forebay.operations.Instance;
import io.forebay.service.progress.Unavailable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The statements of a gateway as the catalogues of all its instances have them: the definition of
 * each statement, in a table of the gateway's database. For one thread.
 */
public final class PeerCatalogues {

  /** An instance that was not seen for this time has ended. */
  private static final Duration LIVE = Duration.ofSeconds(20);

  private static final int LONGEST_SECONDS = 5;
  private static final Duration FORGOTTEN = Duration.ofDays(1);

  private final KeyedResults database;
  private final String service;

  /** Also unique if several instances run in one process. */
  private final String instance =
      Instance.current("").name() + " " + UUID.randomUUID().toString().substring(0, 4);

  private Map<String, Peer> known = Map.of();

  /**
   * @param database gives the connections
   */
  public PeerCatalogues(KeyedResults database, String service) {
    this.database = database;
    this.service = service;
  }

  /**
   * Another live instance.
   *
   * @param digest of all its statements
   * @param statements the definition of each statement, by its name and version
   */
  public record Peer(String instance, String digest, Map<String, String> statements) {}

  /**
   * Tells the others about the statements of this instance, and returns theirs.
   *
   * @param statements the definition of each statement, by its name and version; without spaces
   * @throws Unavailable if the database does not respond
   */
  public List<Peer> exchange(SortedMap<String, String> statements) {
    StringBuilder text = new StringBuilder();
    statements.forEach((name, each) -> text.append(name).append(' ').append(each).append('\n'));
    try (Connection connection = database.connection()) {
      tell(connection, text.toString());
      return others(connection);
    } catch (SQLException e) {
      throw new Unavailable(SqlErrors.told(e), e);
    }
  }

  private void tell(Connection connection, String statements) throws SQLException {
    String digest = UUID.nameUUIDFromBytes(statements.getBytes(UTF_8)).toString();
    if (update(
            connection,
            "update forebay.catalogue_digest set seen_at = current_timestamp"
                + " where service = ? and instance = ? and digest = ?",
            service,
            instance,
            digest)
        > 0) {
      return;
    }
    if (update(
            connection,
            "update forebay.catalogue_digest"
                + " set seen_at = current_timestamp, digest = ?, statements = ?"
                + " where service = ? and instance = ?",
            digest,
            statements,
            service,
            instance)
        == 0) {
      update(
          connection,
          "insert into forebay.catalogue_digest (service, instance, digest, statements, seen_at)"
              + " values (?, ?, ?, ?, current_timestamp)",
          service,
          instance,
          digest,
          statements);
    }
  }

  private List<Peer> others(Connection connection) throws SQLException {
    Map<String, Peer> live = new HashMap<>();
    OffsetDateTime old = null;
    try (PreparedStatement select =
        connection.prepareStatement(
            "select instance, digest, seen_at, current_timestamp from forebay.catalogue_digest"
                + " where service = ? and instance <> ?")) {
      select.setQueryTimeout(LONGEST_SECONDS);
      select.setString(1, service);
      select.setString(2, instance);
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          String name = rows.getString(1);
          OffsetDateTime now = rows.getObject(4, OffsetDateTime.class);
          Duration unseen = Duration.between(rows.getObject(3, OffsetDateTime.class), now);
          old = unseen.compareTo(FORGOTTEN) > 0 ? now.minus(FORGOTTEN) : old;
          if (unseen.compareTo(LIVE) <= 0) {
            live.put(name, new Peer(name, rows.getString(2), Map.of()));
          }
        }
      }
    }
    for (Peer each : List.copyOf(live.values())) {
      Peer before = known.get(each.instance());
      Map<String, String> statements =
          before != null && before.digest().equals(each.digest())
              ? before.statements()
              : statements(connection, each.instance());
      if (statements == null) {
        live.remove(each.instance());
      } else {
        live.put(each.instance(), new Peer(each.instance(), each.digest(), statements));
      }
    }
    known = live;
    if (old != null) {
      update(
          connection,
          "delete from forebay.catalogue_digest where service = ? and seen_at < ?",
          service,
          old);
    }
    return new ArrayList<>(live.values());
  }

  /**
   * @return null if the instance was forgotten
   */
  private @Nullable Map<String, String> statements(Connection connection, String of)
      throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement(
            "select statements from forebay.catalogue_digest where service = ? and instance = ?")) {
      select.setQueryTimeout(LONGEST_SECONDS);
      select.setString(1, service);
      select.setString(2, of);
      try (ResultSet row = select.executeQuery()) {
        return row.next()
            ? row.getString(1)
                .lines()
                .map(line -> line.split(" "))
                .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]))
            : null;
      }
    }
  }

  private static int update(Connection connection, String sql, @Nullable Object... values)
      throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(sql)) {
      update.setQueryTimeout(LONGEST_SECONDS);
      for (int i = 0; i < values.length; i++) {
        update.setObject(i + 1, values[i]);
      }
      return update.executeUpdate();
    }
  }
}
