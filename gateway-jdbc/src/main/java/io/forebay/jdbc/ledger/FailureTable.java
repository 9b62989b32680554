/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.hosting.MessageValues;
import io.forebay.machine.Machine;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureCursor;
import io.forebay.operations.failures.FailureValues;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.Place;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the table of failed statements or of dead letters, and marks replayed messages and what
 * operators decided.
 *
 * <p>The outcome of a replayed message is the outcome of its idempotency key.
 */
public enum FailureTable {
  FAILED_STATEMENTS(
      "failed_statement",
      "f.kind, f.sql_state, f.detail",
      "coalesce(nullif(f.sql_state, ''), f.kind)",
      "f.statement_name",
      "f.failed_on",
      "f.message"),
  DEAD_LETTERS(
      "dead_letter",
      "f.reason, cast(null as varchar(5)), f.detail",
      "f.reason",
      "cast(null as varchar(200))",
      "cast(null as varchar(500))",
      "f.detail");

  private static final int TIMEOUT_SECONDS = 5;
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** The origin of a larger message is not read. */
  private static final int LARGEST_READ = 16 << 10;

  private static final String PLACE =
      " f.queue_id = ? and f.partition_id = ? and f.position = ? and f.service = ?";

  /** Databases differ in how they compare row values. */
  private static final String BEHIND =
      " and (f.created_at < ? or f.created_at = ? and (f.queue_id < ? or f.queue_id = ?"
          + " and (f.partition_id < ? or f.partition_id = ? and f.position < ?)))";

  private final String name;
  private final String error;
  private final String statement;
  private final String on;
  private final String message;
  private final String select;

  /**
   * @param columns of the kind, the SQLState and the description
   * @param error the column that failures are grouped by
   * @param statement the column of the name of the statement, by which they are grouped too
   * @param on the column of what it failed on, by which they are grouped too
   * @param message the column of the message of the database
   */
  FailureTable(
      String name, String columns, String error, String statement, String on, String message) {
    this.name = name;
    this.error = error;
    this.statement = statement;
    this.on = on;
    this.message = message;
    this.select =
        "select f.service, f.partition_id, f.position, f.queue_id, f.message_id, "
            + columns
            + ", octet_length(f.payload), f.created_at, f.replayed_as, f.replayed_by,"
            + " f.replayed_at, f.replayed_position, r.state, r.position,"
            + " (select sum(s.replays) from forebay."
            + name
            + " s where s.replay_key = f.replay_key),"
            + " case when octet_length(f.payload) <= "
            + LARGEST_READ
            + " then f.payload end, f.decision, f.decided_by, f.decided_at, f.decision_reason"
            + " from forebay."
            + name
            + " f left join forebay.request r on r.message_id = f.replay_key where";
  }

  /**
   * @param origin reads it from the bytes of a message
   */
  public List<Failure> list(
      Connection connection,
      String service,
      Failures.Filter filter,
      @Nullable FailureCursor before,
      int limit,
      Function<byte[], Failure.@Nullable Origin> origin)
      throws SQLException {
    String sql =
        select
            + " f.service = ?"
            + (filter.state() == null ? "" : " and" + isIn(filter.state()))
            + (filter.error() == null ? "" : " and " + error + " = ?")
            + (filter.cause() == null ? "" : is(statement, filter.cause().statement()))
            + (filter.cause() == null ? "" : is(on, filter.cause().on()))
            + (before == null ? "" : BEHIND)
            + " order by f.created_at desc, f.queue_id desc, f.partition_id desc, f.position desc"
            + " fetch first "
            + limit
            + " rows only";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setQueryTimeout(TIMEOUT_SECONDS);
      statement.setString(1, service);
      int index = 2;
      if (filter.error() != null) {
        statement.setString(index++, filter.error());
      }
      if (filter.cause() != null && filter.cause().statement() != null) {
        statement.setString(index++, filter.cause().statement());
      }
      if (filter.cause() != null && filter.cause().on() != null) {
        statement.setString(index++, filter.cause().on());
      }
      if (before != null) {
        bind(statement, index, before);
      }
      List<Failure> failures = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          failures.add(failure(rows, origin));
        }
      }
      return failures;
    }
  }

  private static String is(String column, @Nullable String value) {
    return " and " + column + (value == null ? " is null" : " = ?");
  }

  /** The condition that a message is in a state, as {@link Failure#state} says. */
  private static String isIn(Failure.State state) {
    return switch (state) {
      case REPLAYED -> " f.replayed_as is not null";
      case OPEN -> " f.replayed_as is null and f.decision is null";
      case SET_ASIDE, DISCARDED ->
          " f.replayed_as is null and f.decision = '%s'".formatted(state.name());
    };
  }

  private static void bind(PreparedStatement statement, int index, FailureCursor before)
      throws SQLException {
    Place place = before.place();
    statement.setObject(index, time(before.at()));
    statement.setObject(index + 1, time(before.at()));
    statement.setString(index + 2, place.queueId());
    statement.setString(index + 3, place.queueId());
    statement.setInt(index + 4, place.partition());
    statement.setInt(index + 5, place.partition());
    statement.setLong(index + 6, place.position());
  }

  /** Groups the latest {@link Failures#MAX_COUNTED} in a state; older ones are not read. */
  public List<Failures.Group> groups(
      Connection connection, String service, Instant from, Failure.State state)
      throws SQLException {
    List<Tally> tallies = tallies(connection, service, from, state);
    if (tallies.isEmpty()) {
      return List.of();
    }
    Map<Kind, Long> replayed =
        (state == Failure.State.REPLAYED
                ? tallies
                : tallies(connection, service, from, Failure.State.REPLAYED))
            .stream().collect(Collectors.toMap(Tally::kind, Tally::count));
    boolean capped = tallies.stream().mapToLong(Tally::count).sum() >= Failures.MAX_COUNTED;
    return tallies.stream()
        .map(it ->
            new Failures.Group(
                service,
                it.kind().error(),
                it.kind().cause(),
                it.text(),
                it.count(),
                capped,
                replayed.getOrDefault(it.kind(), 0L),
                it.lastMinute(),
                it.first(),
                it.last()))
        .toList();
  }

  private record Kind(String error, Failures.Cause cause) {}

  /** What is counted of a kind. */
  private record Tally(
      Kind kind, String text, long count, long lastMinute, Instant first, Instant last) {}

  private List<Tally> tallies(
      Connection connection, String service, Instant from, Failure.State state)
      throws SQLException {
    String sql =
        "select g.error, g.statement_name, g.failed_on, max(g.detail), count(*),"
            + " sum(case when g.created_at >= ? then 1 else 0 end),"
            + " min(g.created_at), max(g.created_at) from (select "
            + error
            + " as error, "
            + this.statement
            + " as statement_name, "
            + on
            + " as failed_on, f.detail, f.created_at from forebay."
            + name
            + " f where f.service = ? and f.created_at >= ? and"
            + isIn(state)
            + " order by f.created_at desc fetch first "
            + Failures.MAX_COUNTED
            + " rows only) g group by g.error, g.statement_name, g.failed_on";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setQueryTimeout(TIMEOUT_SECONDS);
      statement.setObject(1, time(Machine.now().minus(MINUTE)));
      statement.setString(2, service);
      statement.setObject(3, time(from));
      List<Tally> tallies = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          tallies.add(
              new Tally(
                  new Kind(
                      rows.getString(1), new Failures.Cause(rows.getString(2), rows.getString(3))),
                  rows.getString(4),
                  rows.getLong(5),
                  rows.getLong(6),
                  instant(rows, 7),
                  instant(rows, 8)));
        }
      }
      return tallies;
    }
  }

  /**
   * How many messages of a service are in a state. Reads no more rows of an index than it counts.
   *
   * @param atMost where the count ends
   */
  public long count(Connection connection, String service, Failure.State state, int atMost)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select count(*) from (select f.created_at from forebay."
                + name
                + " f where f.service = ? and"
                + isIn(state)
                + " fetch first "
                + atMost
                + " rows only) c")) {
      statement.setQueryTimeout(TIMEOUT_SECONDS);
      statement.setString(1, service);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  public Optional<Failure> find(
      Connection connection, Place place, Function<byte[], Failure.@Nullable Origin> origin)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(select + PLACE)) {
      bind(statement, 1, place);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Optional.of(failure(row, origin)) : Optional.empty();
      }
    }
  }

  public Optional<byte[]> payload(Connection connection, Place place) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("select f.payload from forebay." + name + " f where" + PLACE)) {
      bind(statement, 1, place);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Optional.of(row.getBytes(1)) : Optional.empty();
      }
    }
  }

  public Optional<FailureValues> values(Connection connection, Place place) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select " + message + ", f.payload from forebay." + name + " f where" + PLACE)) {
      bind(statement, 1, place);
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? Optional.of(MessageValues.of(place.id(), row.getString(1), row.getBytes(2)))
            : Optional.empty();
      }
    }
  }

  /**
   * Sets the idempotency key of a replay before it is sent. It differs from the stored one if the
   * key of the message could not be read when the message was stored.
   */
  public void keyed(Connection connection, Place place, UUID key) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "update forebay."
                + name
                + " f set replay_key = ? where f.replay_key <> ? and"
                + PLACE)) {
      statement.setObject(1, key);
      statement.setObject(2, key);
      bind(statement, 3, place);
      statement.executeUpdate();
    }
  }

  public void replayed(Connection connection, Place place, UUID as, long position, String by)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "update forebay."
                + name
                + " f set replayed_as = ?, replayed_position = ?, replayed_by = ?, replayed_at = ?,"
                + " replays = replays + 1"
                + " where"
                + PLACE)) {
      statement.setObject(1, as);
      statement.setLong(2, position);
      statement.setString(3, by);
      statement.setObject(4, time(Machine.now()));
      bind(statement, 5, place);
      statement.executeUpdate();
    }
  }

  /**
   * Stores what an operator decided about each message whose state still allows it. The time is
   * stored also of a message that is reopened: retention counts from it.
   *
   * @return of how many it did
   * @see Failure#mustAllow
   */
  public int decided(
      Connection connection, List<Place> places, Failure.State to, String by, String reason)
      throws SQLException {
    boolean reopens = to == Failure.State.OPEN;
    String from =
        switch (to) {
          case OPEN -> isIn(Failure.State.SET_ASIDE);
          case SET_ASIDE -> isIn(Failure.State.OPEN);
          case DISCARDED ->
              " f.replayed_as is null and (f.decision is null or f.decision = 'SET_ASIDE')";
          case REPLAYED -> throw new IllegalArgumentException("a replay is no decision");
        };
    try (PreparedStatement statement =
        connection.prepareStatement(
            "update forebay."
                + name
                + " f set decision = ?, decided_by = ?, decided_at = ?, decision_reason = ? where"
                + PLACE
                + " and"
                + from)) {
      statement.setString(1, reopens ? null : to.name());
      statement.setString(2, reopens ? null : by);
      statement.setObject(3, time(Machine.now()));
      statement.setString(4, reopens ? null : reason);
      for (Place place : places) {
        bind(statement, 5, place);
        statement.addBatch();
      }
      return Arrays.stream(statement.executeBatch()).sum();
    }
  }

  private static void bind(PreparedStatement statement, int index, Place place)
      throws SQLException {
    statement.setString(index, place.queueId());
    statement.setInt(index + 1, place.partition());
    statement.setLong(index + 2, place.position());
    statement.setString(index + 3, place.service());
  }

  private static Failure failure(ResultSet row, Function<byte[], Failure.@Nullable Origin> origin)
      throws SQLException {
    byte[] payload = row.getBytes(18);
    Place place = new Place(row.getString(1), row.getInt(2), row.getLong(3), row.getString(4));
    return new Failure(
        place.id(),
        place.service(),
        place.partition(),
        place.position(),
        row.getObject(5, UUID.class),
        row.getString(6),
        row.getString(7),
        row.getString(8),
        payload == null ? null : origin.apply(payload),
        row.getLong(9),
        instant(row, 10),
        replay(row),
        row.getInt(17),
        decision(row));
  }

  private static Failure.@Nullable Decision decision(ResultSet row) throws SQLException {
    String state = row.getString(19);
    return state == null
        ? null
        : new Failure.Decision(
            Failure.State.valueOf(state), row.getString(20), instant(row, 21), row.getString(22));
  }

  private static Failure.@Nullable Replay replay(ResultSet row) throws SQLException {
    UUID as = row.getObject(11, UUID.class);
    if (as == null) {
      return null;
    }
    String state = row.getString(15);
    Failure.Outcome outcome =
        "DONE".equals(state)
            ? Failure.Outcome.DONE
            : "FAILED".equals(state) && row.getLong(16) == row.getLong(14)
                ? Failure.Outcome.FAILED
                : Failure.Outcome.PENDING;
    return new Failure.Replay(as, row.getString(12), instant(row, 13), outcome);
  }

  private static Instant instant(ResultSet row, int column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private static OffsetDateTime time(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }
}
