/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.call.Message;
import io.forebay.call.UndecodableMessage;
import io.forebay.call.Writer;
import io.forebay.hosting.Resent;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.ledger.ReplayKey;
import io.forebay.jdbc.statement.StatementTexts;
import io.forebay.machine.Machine;
import io.forebay.operations.failures.DecisionRefused;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureCursor;
import io.forebay.operations.failures.FailureId;
import io.forebay.operations.failures.FailureValues;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.ServiceFailures;
import io.forebay.service.progress.Unavailable;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Reads and replays the failed messages of a gateway, and marks what operators decided. The outcome
 * of a replayed message is the outcome of its idempotency key. Requires spring-jdbc, which comes
 * with the starter.
 */
public final class GatewayFailures implements ServiceFailures {

  private static final int TIMEOUT_SECONDS = 5;
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** The origin of a larger message is not read. */
  private static final int LARGEST_READ = 16 << 10;

  /** What failures are grouped by, beside their cause. */
  private static final String ERROR = "coalesce(nullif(f.sql_state, ''), f.kind)";

  private static final String PLACE =
      " f.queue_id = :queue and f.partition_id = :partition and f.position = :position"
          + " and f.service = :service";

  /** Also of the place of one message and the position of another. */
  private static final String AMONG =
      " f.queue_id in (:queues) and f.partition_id in (:partitions) and f.position in (:positions)"
          + " and f.service = :service";

  /** Databases differ in how they compare row values. */
  private static final String BEHIND =
      " and (f.created_at < :at or f.created_at = :at and (f.queue_id < :queue"
          + " or f.queue_id = :queue and (f.partition_id < :partition"
          + " or f.partition_id = :partition and f.position < :position)))";

  private static final String SELECT =
      "select f.queue_id, f.partition_id, f.position, f.message_id, f.kind, f.sql_state, f.detail,"
          + " f.created_at, f.replayed_as, f.replayed_by, f.replayed_at, f.replayed_position,"
          + " f.decision, f.decided_by, f.decided_at, f.decision_reason, r.state as key_state,"
          + " r.position as key_position, octet_length(f.payload) as payload_bytes,"
          + " case when octet_length(f.payload) <= "
          + LARGEST_READ
          + " then f.payload end as small_payload,"
          + " (select sum(s.replays) from forebay.failed_message s"
          + " where s.replay_key = f.replay_key) as all_replays"
          + " from forebay.failed_message f"
          + " left join forebay.request r on r.message_id = f.replay_key where";

  private final JDBCService gateway;

  public GatewayFailures(JDBCService gateway) {
    this.gateway = gateway;
  }

  @Override
  public String service() {
    return gateway.name();
  }

  @Override
  public List<Failure> list(Failures.Filter filter, @Nullable FailureCursor before, int limit) {
    Failures.Cause cause = filter.cause();
    MapSqlParameterSource values =
        before == null ? ofService() : at(before.id()).addValue("at", time(before.at()));
    values.addValue("error", filter.error());
    if (cause != null) {
      values.addValue("statement", cause.statement()).addValue("on", cause.on());
    }
    String sql =
        SELECT
            + " f.service = :service"
            + (filter.state() == null ? "" : " and" + isIn(filter.state()))
            + (filter.error() == null ? "" : " and " + ERROR + " = :error")
            + (cause == null ? "" : is("f.statement_name", ":statement", cause.statement()))
            + (cause == null ? "" : is("f.failed_on", ":on", cause.on()))
            + (before == null ? "" : BEHIND)
            + " order by f.created_at desc, f.queue_id desc, f.partition_id desc, f.position desc"
            + " fetch first "
            + limit
            + " rows only";
    return in(database -> database.query(sql, values, (row, _) -> failure(row)));
  }

  private static String is(String column, String parameter, @Nullable String value) {
    return " and " + column + (value == null ? " is null" : " = " + parameter);
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

  /** Groups the latest {@link Failures#MAX_COUNTED} in a state; older ones are not read. */
  @Override
  public List<Failures.Group> groups(Instant from, Failure.State state) {
    String sql =
        "select g.error, g.statement_name, g.failed_on, max(g.detail) as text, count(*) as failed,"
            + " sum(case when g.created_at >= :minute then 1 else 0 end) as last_minute,"
            + " min(g.created_at) as first_at, max(g.created_at) as last_at from (select "
            + ERROR
            + " as error, f.statement_name, f.failed_on, f.detail, f.created_at"
            + " from forebay.failed_message f where f.service = :service and f.created_at >= :from"
            + " and"
            + isIn(state)
            + " order by f.created_at desc fetch first "
            + Failures.MAX_COUNTED
            + " rows only) g group by g.error, g.statement_name, g.failed_on";
    MapSqlParameterSource values =
        ofService()
            .addValue("minute", time(Machine.now().minus(MINUTE)))
            .addValue("from", time(from));
    List<Failures.Group> groups =
        in(database -> database.query(sql, values, (row, _) -> group(row)));
    return groups.stream().mapToLong(Failures.Group::count).sum() < Failures.MAX_COUNTED
        ? groups
        : groups.stream().map(Failures.Group::withCapped).toList();
  }

  private Failures.Group group(ResultSet row) throws SQLException {
    return new Failures.Group(
        service(),
        row.getString("error"),
        new Failures.Cause(row.getString("statement_name"), row.getString("failed_on")),
        row.getString("text"),
        row.getLong("failed"),
        false,
        row.getLong("last_minute"),
        instant(row, "first_at"),
        instant(row, "last_at"));
  }

  /** Reads no more rows of an index than it counts. */
  @Override
  public long count(Failure.State state, int atMost) {
    String sql =
        "select count(*) from (select f.created_at from forebay.failed_message f"
            + " where f.service = :service and"
            + isIn(state)
            + " fetch first "
            + atMost
            + " rows only) c";
    return in(database -> database.query(sql, ofService(), (row, _) -> row.getLong(1))).getFirst();
  }

  @Override
  public List<Failure> find(List<FailureId> ids) {
    return stored(ids).stream().map(Stored::failure).toList();
  }

  /**
   * A failed message.
   *
   * @param message null if it is large
   */
  private record Stored(Failure failure, byte @Nullable [] message) {}

  private List<Stored> stored(List<FailureId> ids) {
    Map<String, Stored> found = new HashMap<>();
    in(database -> database.query(SELECT + AMONG, among(ids), (row, _) -> stored(row)))
        .forEach(it -> found.put(it.failure().id(), it));
    return ids.stream().flatMap(id -> Stream.ofNullable(found.get(id.text()))).toList();
  }

  private MapSqlParameterSource among(List<FailureId> ids) {
    return ofService()
        .addValue("queues", ids.stream().map(FailureId::queueId).distinct().toList())
        .addValue("partitions", ids.stream().map(FailureId::partition).distinct().toList())
        .addValue("positions", ids.stream().map(FailureId::position).toList());
  }

  @Override
  public Optional<byte[]> message(FailureId id) {
    return one(
        "select f.payload from forebay.failed_message f where", id, (row, _) -> row.getBytes(1));
  }

  @Override
  public Optional<FailureValues> values(FailureId id) {
    return one(
        "select case when f.sql_state is null then f.detail else f.message end, f.payload"
            + " from forebay.failed_message f where",
        id,
        (row, _) ->
            named(FailureValues.of(id.text(), row.getString(1), row.getBytes(2)), row.getBytes(2)));
  }

  private <R> Optional<R> one(String select, FailureId id, RowMapper<R> read) {
    return in(database -> database.query(select + PLACE, at(id), read)).stream().findFirst();
  }

  @Override
  public List<Replayed> replay(List<FailureId> ids, Predicate<Failure> wanted, String by) {
    gateway.mustTakeReplays();
    List<Replayed> tried = new ArrayList<>();
    List<SqlParameterSource> sent = new ArrayList<>();
    try {
      for (Stored stored : stored(ids).stream().filter(it -> wanted.test(it.failure())).toList()) {
        FailureId id = FailureId.of(stored.failure().id());
        try {
          Optional<MapSqlParameterSource> row = replay(id, stored, by);
          row.ifPresent(sent::add);
          row.ifPresent(it -> tried.add(new Replayed(id, (UUID) it.getValue("as"), null)));
        } catch (DecisionRefused e) {
          tried.add(new Replayed(id, null, e));
        } catch (RuntimeException e) {
          tried.add(new Replayed(id, null, e));
          break;
        }
      }
    } finally {
      record(sent, tried);
    }
    return tried;
  }

  private void record(List<SqlParameterSource> sent, List<Replayed> tried) {
    try {
      // The key differs from the stored one if it could not be read when the message was stored.
      update(
          "replay_key = :key, replayed_as = :as, replayed_position = :new, replayed_by = :by,"
              + " replayed_at = :at, replays = replays + 1",
          PLACE,
          sent.toArray(SqlParameterSource[]::new));
    } catch (Unavailable e) {
      tried.replaceAll(it -> it.as() == null ? it : new Replayed(it.id(), it.as(), e));
    }
  }

  /** Sends a message again; returns what to store of that, or empty if it was deleted meanwhile. */
  private Optional<MapSqlParameterSource> replay(FailureId id, Stored stored, String by) {
    mustBeReplayable(stored.failure());
    Optional<byte[]> message = Optional.ofNullable(stored.message()).or(() -> message(id));
    return message.map(payload -> {
      ReplayKey key = ReplayKey.of(understood(payload), id);
      Resent sent = append(id.partition(), key, payload);
      return at(id)
          .addValue("key", key.id())
          .addValue("as", sent.id())
          .addValue("new", sent.position())
          .addValue("by", by)
          .addValue("at", time(Machine.now()));
    });
  }

  private static void mustBeReplayable(Failure failure) {
    failure.mustNotBeDiscarded();
    Failure.Replay replay = failure.replay();
    if (replay != null && replay.outcome() == Failure.Outcome.DONE) {
      throw new DecisionRefused(
          "it was already sent again as %s and took effect; nothing was sent"
              .formatted(replay.messageId()));
    }
  }

  private Message understood(byte[] payload) {
    try {
      return read(payload, new FirstText());
    } catch (UndecodableMessage e) {
      throw new DecisionRefused(
          "this version of Forebay cannot decode the message either (%s); nothing was sent"
              .formatted(e.reason()));
    }
  }

  private Resent append(int partition, ReplayKey key, byte[] payload) {
    try (Writer<JDBCStatement> writer =
        gateway.statements().writer(gateway.in(), partition % gateway.in().partitions())) {
      return Resent.send(writer.keyed(key.client(), key.key()), payload);
    }
  }

  /** The time is stored also of a message that is reopened: retention counts from it. */
  @Override
  public int decide(List<FailureId> ids, Failure.State to, String by, String reason) {
    boolean reopens = to == Failure.State.OPEN;
    String from =
        Arrays.stream(Failure.State.values())
            .filter(state -> state.allows(to))
            .map(GatewayFailures::isIn)
            .collect(Collectors.joining(" or", " and (", ")"));
    return update(
        "decision = :decision, decided_by = :by, decided_at = :at, decision_reason = :reason",
        PLACE + from,
        ids.stream()
            .map(id ->
                at(id)
                    .addValue("decision", reopens ? null : to.name())
                    .addValue("by", reopens ? null : by)
                    .addValue("at", time(Machine.now()))
                    .addValue("reason", reopens ? null : reason))
            .toArray(SqlParameterSource[]::new));
  }

  /** Updates a row per source, all in one transaction; returns how many. */
  private int update(String assignments, String where, SqlParameterSource... values) {
    String sql = "update forebay.failed_message f set " + assignments + " where" + where;
    return values.length == 0
        ? 0
        : in(database -> Arrays.stream(database.batchUpdate(sql, values)).sum());
  }

  private <R> R in(Function<NamedParameterJdbcTemplate, R> work) {
    try (Connection connection = gateway.database().connect()) {
      connection.setAutoCommit(false); // its pool rolls back what is not committed
      JdbcTemplate template = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
      template.setQueryTimeout(TIMEOUT_SECONDS);
      R result = work.apply(new NamedParameterJdbcTemplate(template));
      connection.commit();
      return result;
    } catch (SQLException e) {
      throw unavailable(e);
    } catch (DataAccessException e) {
      throw unavailable(e.getMostSpecificCause());
    }
  }

  private Unavailable unavailable(Throwable cause) {
    return new Unavailable(
        "the database of gateway %s is not responding (SQLState %s)"
            .formatted(
                gateway.name(), cause instanceof SQLException e ? e.getSQLState() : "unknown"),
        cause);
  }

  private MapSqlParameterSource ofService() {
    return new MapSqlParameterSource("service", service());
  }

  private MapSqlParameterSource at(FailureId id) {
    return ofService()
        .addValue("queue", id.queueId())
        .addValue("partition", id.partition())
        .addValue("position", id.position());
  }

  private Stored stored(ResultSet row) throws SQLException {
    return new Stored(failure(row), row.getBytes("small_payload"));
  }

  private Failure failure(ResultSet row) throws SQLException {
    byte[] payload = row.getBytes("small_payload");
    FailureId id =
        new FailureId(
            service(),
            row.getInt("partition_id"),
            row.getLong("position"),
            row.getString("queue_id"));
    return new Failure(
        id.text(),
        id.service(),
        id.partition(),
        id.position(),
        row.getObject("message_id", UUID.class),
        row.getString("kind"),
        row.getString("sql_state"),
        row.getString("detail"),
        payload == null ? null : origin(payload),
        payload == null ? null : Message.traceId(payload),
        row.getLong("payload_bytes"),
        instant(row, "created_at"),
        replay(row),
        row.getInt("all_replays"),
        decision(row));
  }

  private static Failure.@Nullable Decision decision(ResultSet row) throws SQLException {
    String state = row.getString("decision");
    return state == null
        ? null
        : new Failure.Decision(
            Failure.State.valueOf(state),
            row.getString("decided_by"),
            instant(row, "decided_at"),
            row.getString("decision_reason"));
  }

  private static Failure.@Nullable Replay replay(ResultSet row) throws SQLException {
    UUID as = row.getObject("replayed_as", UUID.class);
    if (as == null) {
      return null;
    }
    String state = row.getString("key_state");
    Failure.Outcome outcome =
        "DONE".equals(state)
            ? Failure.Outcome.DONE
            : "FAILED".equals(state)
                    && row.getLong("key_position") == row.getLong("replayed_position")
                ? Failure.Outcome.FAILED
                : Failure.Outcome.PENDING;
    return new Failure.Replay(
        as, row.getString("replayed_by"), instant(row, "replayed_at"), outcome);
  }

  private static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private static OffsetDateTime time(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }

  /** Reads a message without performing it, and remembers the text of its first statement. */
  private Message read(byte[] payload, FirstText first) {
    return gateway
        .statements()
        .reader(gateway.in().name(), first)
        .read(0, 0, ByteBuffer.wrap(payload));
  }

  /** Null if the message cannot be decoded. */
  private Failure.@Nullable Origin origin(byte[] payload) {
    FirstText first = new FirstText();
    try {
      Message message = read(payload, first);
      return new Failure.Origin(first.reference(), message.client(), message.key());
    } catch (UndecodableMessage e) {
      Message envelope = e.envelope();
      return envelope == null ? null : new Failure.Origin(null, envelope.client(), envelope.key());
    }
  }

  /** Names the statement and its parameters, if the message has one call of the catalogue. */
  private FailureValues named(FailureValues values, byte[] payload) {
    List<List<String>> lists = FailureValues.lastLists(payload);
    FirstText first = new FirstText();
    try {
      read(payload, first);
    } catch (UndecodableMessage _) {
      return values;
    }
    if (first.text == null || values.calls().size() != 1 || lists.size() != 1) {
      return values;
    }
    List<String> names = gateway.texts().parametersOf(first.text);
    List<String> elements = lists.getFirst();
    int count = names.size() == elements.size() ? names.size() : 0;
    return values.withNames(
        gateway.texts().nameOf(first.text),
        IntStream.range(0, count)
            .mapToObj(i -> new FailureValues.Value(names.get(i), elements.get(i)))
            .toList());
  }

  private static final class FirstText implements JDBCStatement {

    private @Nullable String text;

    @Override
    public void executeQuery(String query, Class<?> resultType, @Nullable Object... args) {
      text = query;
    }

    @Override
    public void executeUpdate(String query, @Nullable Object... args) {
      text = query;
    }

    @Override
    public void executeTogether(List<Call> calls) {
      text = calls.isEmpty() ? null : calls.getFirst().sql();
    }

    /** The text without the fingerprint; null if it is SQL, which may contain values. */
    @Nullable String reference() {
      return text == null || !StatementTexts.isReference(text) ? null : text.split(":", 2)[0];
    }
  }
}
