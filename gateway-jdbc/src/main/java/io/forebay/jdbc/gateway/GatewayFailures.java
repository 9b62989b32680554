/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.call.Message;
import io.forebay.call.UndecodableMessage;
import io.forebay.call.Writer;
import io.forebay.hosting.MessageValues;
import io.forebay.hosting.Resent;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.ledger.FailureTable;
import io.forebay.jdbc.ledger.ReplayKey;
import io.forebay.jdbc.statement.StatementTexts;
import io.forebay.operations.failures.DeadLetterSource;
import io.forebay.operations.failures.DecisionRefused;
import io.forebay.operations.failures.FailedStatements;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureCursor;
import io.forebay.operations.failures.FailureValues;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.Place;
import io.forebay.operations.failures.ReplayRefused;
import io.forebay.service.progress.Unavailable;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads and replays the failed statements or dead letters of all gateways of this process. */
public class GatewayFailures implements Failures {

  private static final Logger log = LoggerFactory.getLogger(GatewayFailures.class);

  private final FailureTable table;
  private final Map<String, JDBCService> gateways = new TreeMap<>();

  GatewayFailures(FailureTable table, Collection<JDBCService> gateways) {
    this.table = table;
    gateways.forEach(gateway -> this.gateways.put(gateway.name(), gateway));
  }

  @Override
  public Page page(Filter filter, @Nullable String before, int limit) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException(
          "limit is %d, allowed: 1 to %d".formatted(limit, MAX_LIMIT));
    }
    FailureCursor cursor = before == null ? null : FailureCursor.of(before);
    List<Failure> found = new ArrayList<>();
    for (JDBCService gateway : gateways.values()) {
      if (filter.service() == null || filter.service().equals(gateway.name())) {
        found.addAll(
            in(
                gateway,
                connection ->
                    table.list(
                        connection,
                        gateway.name(),
                        filter,
                        cursor,
                        limit + 1,
                        payload -> origin(gateway, payload))));
      }
    }
    return FailureCursor.page(found, limit, false);
  }

  @Override
  public List<Group> groups(@Nullable String service, Instant from, Failure.State state) {
    return gateways.values().stream()
        .filter(gateway -> service == null || service.equals(gateway.name()))
        .flatMap(gateway ->
            in(gateway, connection -> table.groups(connection, gateway.name(), from, state))
                .stream())
        .sorted(Comparator.comparing(Group::last).reversed())
        .toList();
  }

  @Override
  public long count(String service, Failure.State state, int atMost) {
    JDBCService gateway = gateways.get(service);
    return gateway == null
        ? 0
        : in(gateway, connection -> table.count(connection, service, state, atMost));
  }

  @Override
  public Optional<Failure> find(String id) {
    Place place = Place.of(id);
    JDBCService gateway = gateways.get(place.service());
    return gateway == null
        ? Optional.empty()
        : in(
            gateway,
            connection -> table.find(connection, place, payload -> origin(gateway, payload)));
  }

  @Override
  public Optional<FailureValues> values(String id) {
    Place place = Place.of(id);
    JDBCService gateway = gateways.get(place.service());
    return gateway == null
        ? Optional.empty()
        : in(
            gateway,
            connection -> {
              Optional<FailureValues> values = table.values(connection, place);
              return values.isEmpty()
                  ? values
                  : table
                      .payload(connection, place)
                      .map(payload -> named(gateway, values.get(), payload));
            });
  }

  @Override
  public Optional<Failure> replay(String id, String by) {
    Place place = Place.of(id);
    JDBCService gateway = gateways.get(place.service());
    if (gateway == null) {
      return Optional.empty();
    }
    gateway.mustTakeReplays();
    Optional<byte[]> payload = in(gateway, connection -> toReplay(connection, place));
    if (payload.isEmpty()) {
      return Optional.empty();
    }
    Message message = understood(gateway, place, payload.get());
    ReplayKey key = ReplayKey.of(message, place);
    in(
        gateway,
        connection -> {
          table.keyed(connection, place, key.id());
          return true;
        });
    Resent replayed = append(gateway, place, key, payload.get());
    in(
        gateway,
        connection -> {
          table.replayed(connection, place, replayed.id(), replayed.position(), by);
          return true;
        });
    log.info("Sent again: {} as {}; requested by {}", id, replayed.id(), by);
    return find(id);
  }

  @Override
  public Optional<Failure> decide(String id, Failure.State to, String by, String reason) {
    Optional<Failure> before = find(id);
    if (before.isEmpty()) {
      return Optional.empty();
    }
    before.get().mustAllow(to);
    int decided = decideAll(List.of(id), to, by, reason);
    Optional<Failure> after = find(id);
    if (decided == 0 && after.isPresent()) {
      throw after.get().refusal(to); // another operator decided first
    }
    return after;
  }

  @Override
  public int decideAll(List<String> ids, Failure.State to, String by, String reason) {
    Map<String, List<Place>> places =
        ids.stream().map(Place::of).collect(Collectors.groupingBy(Place::service));
    places.keySet().retainAll(gateways.keySet());
    return places.entrySet().stream()
        .mapToInt(it ->
            decide(
                Objects.requireNonNull(gateways.get(it.getKey())), it.getValue(), to, by, reason))
        .sum();
  }

  private int decide(
      JDBCService gateway, List<Place> places, Failure.State to, String by, String reason) {
    int decided =
        in(
            gateway,
            connection -> {
              if (to == Failure.State.SET_ASIDE
                  && table.count(connection, gateway.name(), to, MAX_SET_ASIDE) + places.size()
                      > MAX_SET_ASIDE) {
                throw DecisionRefused.full(gateway.name());
              }
              connection.setAutoCommit(false); // its pool rolls back what is not committed
              int count = table.decided(connection, places, to, by, reason);
              connection.commit();
              return count;
            });
    if (decided > 0) {
      String which =
          places.size() == 1
              ? places.getFirst().id()
              : "%d failures of %s".formatted(decided, gateway.name());
      log.info("{}: now {}; decided by {}", which, to, by);
    }
    return decided;
  }

  @Override
  public Optional<byte[]> message(String id) {
    Place place = Place.of(id);
    JDBCService gateway = gateways.get(place.service());
    return gateway == null
        ? Optional.empty()
        : in(gateway, connection -> table.payload(connection, place));
  }

  private Optional<byte[]> toReplay(Connection connection, Place place) throws SQLException {
    Optional<Failure> failure = table.find(connection, place, _ -> null);
    if (failure.isEmpty()) {
      return Optional.empty();
    }
    failure.get().mustNotBeDiscarded();
    Failure.Replay replay = failure.get().replay();
    if (replay != null && replay.outcome() == Failure.Outcome.DONE) {
      throw new ReplayRefused(
          "it was already sent again as %s and took effect; nothing was sent"
              .formatted(replay.messageId()));
    }
    return table.payload(connection, place);
  }

  /** Null if the message cannot be decoded. */
  private static Failure.@Nullable Origin origin(JDBCService gateway, byte[] payload) {
    FirstText first = new FirstText();
    try {
      Message message =
          gateway
              .statements()
              .reader(gateway.in().name(), first)
              .read(0, 0, ByteBuffer.wrap(payload));
      return new Failure.Origin(first.reference(), message.client(), message.key());
    } catch (UndecodableMessage e) {
      Message envelope = e.envelope();
      return envelope == null ? null : new Failure.Origin(null, envelope.client(), envelope.key());
    }
  }

  /** Names the statement and its parameters, if the message has one call of the catalogue. */
  private static FailureValues named(JDBCService gateway, FailureValues values, byte[] payload) {
    List<List<String>> lists = MessageValues.lastLists(payload);
    String text = text(gateway, payload);
    if (text == null || values.calls().size() != 1 || lists.size() != 1) {
      return values;
    }
    List<String> names = gateway.texts().parametersOf(text);
    List<String> elements = lists.getFirst();
    List<FailureValues.Value> named = new ArrayList<>();
    for (int i = 0; i < names.size() && names.size() == elements.size(); i++) {
      named.add(new FailureValues.Value(names.get(i), elements.get(i)));
    }
    FailureValues.Call call = values.calls().getFirst();
    return new FailureValues(
        values.id(),
        values.error(),
        List.of(
            new FailureValues.Call(
                call.method(), call.arguments(), gateway.texts().nameOf(text), named)),
        values.bytes(),
        values.cut());
  }

  /** The text of the first statement; null if the message cannot be decoded. */
  private static @Nullable String text(JDBCService gateway, byte[] payload) {
    FirstText first = new FirstText();
    try {
      gateway.statements().reader(gateway.in().name(), first).read(0, 0, ByteBuffer.wrap(payload));
      return first.text;
    } catch (UndecodableMessage _) {
      return null;
    }
  }

  private static Message understood(JDBCService gateway, Place place, byte[] payload) {
    try {
      return gateway
          .statements()
          .reader(gateway.in().name(), new FirstText())
          .read(place.partition(), place.position(), ByteBuffer.wrap(payload));
    } catch (UndecodableMessage e) {
      throw new ReplayRefused(
          "this version of Forebay cannot decode the message either (%s); nothing was sent"
              .formatted(e.reason()));
    }
  }

  private static Resent append(JDBCService gateway, Place place, ReplayKey key, byte[] payload) {
    int partition = place.partition() % gateway.in().partitions();
    try (Writer<JDBCStatement> writer = gateway.statements().writer(gateway.in(), partition)) {
      return Resent.send(writer.keyed(key.client(), key.key()), payload);
    }
  }

  private static <R> R in(JDBCService gateway, Work<R> work) {
    try (Connection connection = gateway.database().connect()) {
      return work.run(connection);
    } catch (SQLException e) {
      throw new Unavailable(
          "the database of gateway %s is not responding (SQLState %s)"
              .formatted(gateway.name(), e.getSQLState()),
          e);
    }
  }

  /** Two classes, because Spring would find one bean of both types twice. */
  public static final class Statements extends GatewayFailures implements FailedStatements {
    public Statements(Collection<JDBCService> gateways) {
      super(FailureTable.FAILED_STATEMENTS, gateways);
    }
  }

  public static final class Letters extends GatewayFailures implements DeadLetterSource {
    public Letters(Collection<JDBCService> gateways) {
      super(FailureTable.DEAD_LETTERS, gateways);
    }
  }

  @FunctionalInterface
  private interface Work<R> {
    R run(Connection connection) throws SQLException;
  }

  /** Performs nothing; it remembers the text of the first statement. */
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
