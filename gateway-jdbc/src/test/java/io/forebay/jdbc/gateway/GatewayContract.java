/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Message;
import io.forebay.call.Reader;
import io.forebay.call.Writer;
import io.forebay.hosting.ServiceQueues;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.Results;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.jdbc.batch.DirectStatements;
import io.forebay.jdbc.ledger.IdempotencyKeys;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewayClock;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.StreamLine;
import io.forebay.operations.StatementCounts;
import io.forebay.queue.Appender;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.Tailer;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What the gateway does with statements, on every database. */
public abstract class GatewayContract extends GatewayFixture {

  @Test
  void performsAnUpdateAndAnswersWithTheNumberOfRows() throws Exception {
    assertThat(get(client.executeUpdate(INSERT, 1L, "tea", 2.5))).isEqualTo(1);
    assertThat(get(client.executeUpdate("update item set price = price * 2"))).isEqualTo(1);
    assertThat(get(client.executeUpdate("delete from item where id = ?", 7L))).isZero();
    assertThat(database.rows("select id, name, price from item"))
        .singleElement()
        .asString()
        .startsWith("1,tea,5");
  }

  @Test
  void performsManyStatementsInOrderAndAnswersEach() throws Exception {
    List<Pending<Long>> pending =
        IntStream.range(0, 5_000)
            .mapToObj(i -> client.executeUpdate(INSERT, (long) i, "tea " + i, i * 0.5))
            .toList();
    for (Pending<Long> each : pending) {
      assertThat(get(each)).isEqualTo(1);
    }
    assertThat(database.rows("select count(*), sum(id) from item"))
        .containsExactly("5000,12497500");
  }

  @Test
  void aFailingStatementIsAnsweredSoAndItsNeighboursTakeEffect() throws Exception {
    pause(service, "so that all come together");
    List<Pending<Long>> pending = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      Object name = i % 100 == 7 ? null : "tea";
      double price = i % 100 == 50 ? -1 : 1;
      pending.add(client.executeUpdate(INSERT, (long) i, name, price));
    }
    service.resume();
    for (int i = 0; i < 300; i++) {
      if (i % 100 == 7 || i % 100 == 50) {
        assertThat(failure(pending.get(i)).kind()).isEqualTo(SqlFailure.Kind.CONSTRAINT);
        assertThat(failure(pending.get(i)).sqlState()).startsWith("23");
      } else {
        assertThat(get(pending.get(i))).isEqualTo(1);
      }
    }
    assertThat(database.rows("select count(*) from item")).containsExactly("294");
  }

  @Test
  void answersAQueryWithRowsOfEveryTypeAndWithRecords() throws Exception {
    database.createTable(
        "types",
        "b boolean, l bigint, i integer, d double precision, n numeric(20, 3), t varchar(20),"
            + " dt date, ts timestamp, tz timestamp with time zone, u uuid, tm time");
    OffsetDateTime zoned = OffsetDateTime.parse("2026-11-20T10:15:30+01:00");
    UUID uuid = UUID.fromString("01234567-89ab-4def-8123-456789abcdef");
    get(
        client.executeUpdate(
            "insert into types values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            true,
            Long.MAX_VALUE,
            7,
            0.1,
            new BigDecimal("12345678901234567.125"),
            "grün",
            LocalDate.of(2026, 2, 28),
            LocalDateTime.of(2026, 2, 28, 23, 59, 59),
            zoned,
            uuid,
            LocalTime.of(1, 2, 3)));
    Row row = get(client.executeQuery("select * from types", Row.class)).row(0);
    assertThat(row.get("b")).isEqualTo(true);
    assertThat(row.get("l")).isEqualTo(Long.MAX_VALUE);
    assertThat(row.get("i")).isEqualTo(7L);
    assertThat(row.get("d")).isEqualTo(0.1);
    assertThat(row.get("n")).isEqualTo(new BigDecimal("12345678901234567.125"));
    assertThat(row.get("t")).isEqualTo("grün");
    assertThat(row.get("dt")).isEqualTo(LocalDate.of(2026, 2, 28));
    assertThat(row.get("ts")).isEqualTo(LocalDateTime.of(2026, 2, 28, 23, 59, 59));
    assertThat(((OffsetDateTime) row.get("tz")).toInstant()).isEqualTo(zoned.toInstant());
    assertThat(row.get("u")).isEqualTo(uuid);
    assertThat(row.get("tm")).isEqualTo(LocalTime.of(1, 2, 3));

    get(client.executeUpdate(INSERT, 1L, "tea", 2.5));
    Rows items = get(client.executeQuery("select * from item where id = ?", Item.class, 1L));
    assertThat(items.as(Item.class)).containsExactly(new Item(1, "tea", 2.5));
    assertThat(failure(client.executeQuery("select id from item", Item.class)).message())
        .contains("Item", "name", "no such column");
  }

  @Test
  void aTimeIsCutToMicrosecondsAndNotRoundedToTheNextYear() throws Exception {
    LocalDateTime time = LocalDateTime.of(2026, 12, 31, 23, 59, 59, 999_999_999);
    Map<String, Object> times =
        Map.of(
            "time(6)", time.toLocalTime(),
            "timestamp(6)", time,
            "timestamp(6) with time zone", time.atOffset(ZoneOffset.UTC));
    for (Map.Entry<String, Object> each : times.entrySet()) {
      String list = "select t from unnest(cast(? as %s array)) as u (t)".formatted(each.getKey());
      String single = "select cast(? as %s) as t from (values (1)) as one (x)";
      for (Rows rows :
          List.of(
              get(client.executeQuery(list, Row.class, List.of(each.getValue()))),
              get(
                  client.executeQuery(
                      single.formatted(each.getKey()), Row.class, each.getValue())))) {
        assertThat(rows.row(0).get("t").toString())
            .as(each.getKey())
            .contains(":59.999999")
            .doesNotContain("2027");
      }
    }
  }

  @Test
  void resultsThatAreTooMuchForOneTransactionAreAnsweredInSeveral() throws Exception {
    get(client.executeUpdate(INSERT, 1L, "tea", 0.0));
    String raise = "update item set price = price + 1";
    String large = "select repeat('x', 500000) as much, price from item";
    pause(service, "so that all come together");
    List<Pending<Rows>> results = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      client.executeUpdate(raise);
      results.add(client.executeQuery(large, Row.class));
    }
    service.resume();
    for (int i = 0; i < 60; i++) {
      Row row = get(results.get(i)).row(0);
      assertThat((String) row.get("much")).hasSize(500_000);
      assertThat(row.get("price")).isEqualTo(i + 1.0);
    }
  }

  @Test
  void resultsThatTheLedgerCannotKeepTogetherAreAllAnswered() throws Exception {
    pause(service, "so that all come together");
    List<Pending<Rows>> results = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      results.add(client.executeQuery(LARGE, Row.class));
    }
    service.resume();
    for (Pending<Rows> each : results) {
      assertThat((String) get(each).row(0).get("much")).hasSize(450_000);
    }
  }

  @Test
  void aValueThatCannotBeBoundFailsAloneAmongEqualStatements() throws Exception {
    pause(service, "so that all come together");
    List<Pending<Long>> pending = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      Object id = i == 11 ? "no number" : (Object) (long) i;
      pending.add(client.executeUpdate("insert into other (id) values (? + 0)", id));
    }
    service.resume();
    for (int i = 0; i < 16; i++) {
      if (i == 11) {
        assertThat(failure(pending.get(i)).kind()).isNotNull();
      } else {
        assertThat(get(pending.get(i))).isEqualTo(1);
      }
    }
    assertThat(database.rows("select count(*) from other")).containsExactly("15");
  }

  /** The driver cannot make a number of a list, which it says before the database has anything. */
  @Test
  void aValueThatTheDriverRefusesFailsAloneAmongEqualStatements() throws Exception {
    pause(service, "so that all come together");
    List<Pending<Long>> pending = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Object amount = i % 3 == 1 ? List.of(List.of(1L)) : (Object) (i % 3 == 0 ? -1.0 : 1.0);
      pending.add(client.executeUpdate(INSERT, (long) i, "order", amount));
    }
    service.resume();
    for (int i = 0; i < 8; i++) {
      switch (i % 3) {
        case 0 -> assertThat(failure(pending.get(i)).kind()).isEqualTo(SqlFailure.Kind.CONSTRAINT);
        case 1 -> assertThat(failure(pending.get(i)).kind()).isEqualTo(SqlFailure.Kind.STATEMENT);
        default -> assertThat(get(pending.get(i))).isEqualTo(1);
      }
    }
  }

  @Test
  void performsCallsTogetherOrNotAtAll() throws Exception {
    assertThat(
            get(
                client.executeTogether(
                    List.of(
                        Call.of(INSERT, 1L, "order", 1.0),
                        Call.of(INSERT_OTHER, 10L),
                        Call.of("update other set id = id + 1")))))
        .containsExactly(1L, 1L, 1L);
    SqlFailure failure =
        failure(
            client.executeTogether(
                List.of(Call.of(INSERT_OTHER, 20L), Call.of(INSERT, 2L, "order", -1.0))));
    assertThat(failure.kind()).isEqualTo(SqlFailure.Kind.CONSTRAINT);
    assertThat(database.rows("select id from other")).containsExactly("11");
    assertThat(database.rows("select id from item")).containsExactly("1");
  }

  @Test
  void performsEqualCallsTogetherOrNotAtAll() throws Exception {
    List<Call> calls = new ArrayList<>();
    for (long i = 0; i < 100; i++) {
      calls.add(Call.of(INSERT_OTHER, i));
    }
    calls.add(Call.of("update other set id = id + ?", 1L));
    calls.add(Call.of("update other set id = id + ?", 1L));
    calls.add(Call.of(INSERT, 1L, "order", 1.0));
    List<Long> counts = new ArrayList<>(Collections.nCopies(100, 1L));
    counts.addAll(List.of(100L, 100L, 1L));
    assertThat(get(client.executeTogether(calls))).isEqualTo(counts);
    assertThat(database.rows("select min(id), max(id) from other")).containsExactly("2,101");

    List<Call> failing = new ArrayList<>(calls.subList(0, 102));
    failing.addAll(
        List.of(
            Call.of(INSERT, 2L, "order", 1.0),
            Call.of(INSERT, 3L, "order", -1.0),
            Call.of(INSERT, 4L, "order", 1.0)));
    assertThat(failure(client.executeTogether(failing)).kind())
        .isEqualTo(SqlFailure.Kind.CONSTRAINT);
    assertThat(database.rows("select min(id), max(id) from other")).containsExactly("2,101");
    assertThat(database.rows("select id from item")).containsExactly("1");
  }

  @Test
  void performsIndependentStatementsInGroupsAndAnswersInTheirOrder() throws Exception {
    restart(
        builder()
            .catalogue(
                new StatementCatalogue() {
                  @Override
                  public Entry find(String gateway, String reference) {
                    throw new NoSuchElementException();
                  }

                  @Override
                  public Known known(String gateway, String text) {
                    return new Known("items.add", List.of(), true, false);
                  }
                }));
    pause(service, "so that all come together");
    List<Pending<Long>> pending = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      pending.add(
          i % 2 == 0
              ? client.executeUpdate(INSERT, (long) i, "tea", i == 100 ? -1.0 : 1.0)
              : client.executeUpdate(INSERT_OTHER, (long) i));
    }
    service.resume();
    for (int i = 0; i < 200; i++) {
      if (i == 100) {
        assertThat(failure(pending.get(i)).kind()).isEqualTo(SqlFailure.Kind.CONSTRAINT);
      } else {
        assertThat(get(pending.get(i))).isEqualTo(1);
      }
    }
    List<Long> sources = new ArrayList<>();
    try (Tailer tailer = service.out().tailer(0)) {
      tailer.poll(
          1_000,
          (position, message) ->
              sources.add(Message.peek("", 0, position, message).source().orElseThrow()));
    }
    assertThat(sources).isSorted().doesNotHaveDuplicates().hasSize(200);
  }

  @Test
  void aGatewayThatAnswersInRunsHasNoNextStage() throws Exception {
    restart(builder().results(Results.RUNS));
    assertThatThrownBy(() -> ServiceQueues.open(backend, "next", 1, Duration.ofHours(1), service))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("answers in runs (results=runs); use results=all");
  }

  @Test
  void withRunsEachStatementHasItsOwnResultInFewMessages() throws Exception {
    restart(builder().results(Results.RUNS).options(ServiceOptions.defaults().withHistoryOneIn(0)));
    // so few that they are one transaction also where all is slow
    pause(service, "so that all come together");
    List<Pending<Long>> pending = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      pending.add(
          i == 12
              ? client.keyed("shop-1", "order-7").executeUpdate(INSERT, (long) i, "tea", 1.0)
              : client.executeUpdate(INSERT, (long) i, "tea", i == 24 ? -1.0 : 1.0));
    }
    service.resume();
    for (int i = 0; i < 40; i++) {
      if (i == 24) {
        assertThat(failure(pending.get(i)).kind()).isEqualTo(SqlFailure.Kind.CONSTRAINT);
      } else {
        assertThat(get(pending.get(i))).isEqualTo(1);
      }
    }
    assertThat(answered()).as("runs before, between and behind two").hasSize(5);
    for (int i = 0; i < 40; i++) {
      List<String> found = new ArrayList<>();
      Receipt receipt = pending.get(i).receipt();
      assertThat(client.result(receipt, new ResultLog(found, receipt.id()))).isTrue();
      assertThat(found).containsExactly(i == 24 ? "CONSTRAINT" : "1");
      assertThat(client.result(receipt, "shop-1", new ResultLog(found, null))).isEqualTo(i == 12);
    }
    Receipt first = pending.getFirst().receipt();
    Receipt other = new Receipt(0, first.position() + 1, first.id());
    assertThat(client.result(other, new ResultLog(new ArrayList<>(), null))).isFalse();
    List<String> all = new ArrayList<>();
    try (Reader<JDBCResult> reader = service.createReader(new ResultLog(all, null))) {
      assertThat(reader.poll(40)).isEqualTo(5);
    }
    assertThat(all).hasSize(40).filteredOn("1"::equals).hasSize(39);

    service.stop();
    service.start();
    Pending<Long> last = client.executeUpdate(INSERT, 40L, "tea", 1.0);
    assertThat(get(last)).isEqualTo(1);
    assertThat(last.receipt().position()).isEqualTo(first.position() + 40);
    assertThat(answered()).as("nothing is answered again").hasSize(6);
    assertThat(database.rows("select count(*) from item")).containsExactly("40");
  }

  @Test
  void withFailuresOnlyItAnswersQueriesAndFailuresOnceAndADrainAddsNoMessage() throws Exception {
    restart(builder().results(Results.FAILURES_ONLY));
    pause(service, "so that all come together");
    Pending<Long> done = client.executeUpdate(INSERT, 1L, "tea", 1.0);
    Pending<Long> failing = client.executeUpdate(INSERT, 2L, null, 1.0);
    Pending<Rows> query = client.executeQuery("select id from item", Row.class);
    client.executeTogether(List.of(Call.of(INSERT_OTHER, 1L), Call.of(INSERT_OTHER, 2L)));
    service.resume();
    assertThat(failure(failing).kind()).isEqualTo(SqlFailure.Kind.CONSTRAINT);
    assertThat(get(query).size()).isEqualTo(1);
    assertThat(done).isNotDone();

    service.stop();
    service.start();
    Pending<Long> failingToo = client.executeUpdate(INSERT, 3L, "tea", -1.0);
    Pending<Long> end = client.executeUpdate(INSERT, 4L, "tea", 1.0);
    assertThat(failure(failingToo).kind()).isEqualTo(SqlFailure.Kind.CONSTRAINT);
    assertThat(service.drain(Duration.ofSeconds(20))).isTrue();
    assertThat(database.rows("select id from item order by id")).containsExactly("1", "4");
    assertThat(database.rows("select id from other order by id")).containsExactly("1", "2");
    long first = failing.receipt().position();
    assertThat(answered())
        .containsExactly(
            first + " " + failing.receipt().id(),
            first + 1 + " " + query.receipt().id(),
            failingToo.receipt().position() + " " + failingToo.receipt().id());
    assertThat(client.result(end.receipt(), new ResultLog(new ArrayList<>(), null))).isFalse();
    assertThat(end).isNotDone();
  }

  /** Source and id of all that is in the out-queue. */
  private List<String> answered() {
    List<String> answered = new ArrayList<>();
    try (Tailer tailer = service.out().tailer(0)) {
      tailer.poll(
          1_000,
          (position, bytes) -> {
            Message message = Message.peek("", 0, position, bytes);
            answered.add(message.source().orElseThrow() + " " + message.id());
          });
    }
    return answered;
  }

  @Test
  void aKeyIsPerformedOnceHoweverOftenItComes() throws Exception {
    try (Writer<JDBCStatement> writer = service.createWriter()) {
      List<String> results = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        writer.keyed("shop-1", "order-7").calls().executeUpdate(INSERT, 7L, "tea", 1.0);
        writer.keyed("shop-1", "order-7").calls().executeUpdate(INSERT, 7L, "tea", 1.0);
        get(client.executeUpdate(INSERT_OTHER, (long) i));
      }
      writer.keyed("shop-1", "order-7").calls().executeUpdate(INSERT, 8L, "tea", 1.0);
      writer.keyed("shop-2", "order-7").calls().executeUpdate(INSERT, 9L, "tea", 1.0);
      get(client.executeUpdate(INSERT_OTHER, 3L));
      UUID id = Message.keyedId("shop-1", "order-7");
      try (Reader<JDBCResult> reader = service.createReader(new ResultLog(results, id))) {
        while (reader.poll(100) > 0) {
          // all there are
        }
      }
      assertThat(results).containsExactly("1", "1", "1", "1", "1", "1", "KEY_REUSED");
    }
    assertThat(database.rows("select id from item order by id")).containsExactly("7", "9");
    assertThat(database.rows("select idem_key, state from forebay.request order by client"))
        .containsExactly("order-7,DONE", "order-7,DONE");
  }

  /** The one that is slower finds the key at its next attempt. */
  @Test
  void aKeyThatTwoPartitionsUseAtTheSameTimeIsPerformedOnce() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    AtomicInteger left = new AtomicInteger(2);
    WatchedDriver.Observer meets =
        what -> {
          if (what.startsWith("insert into forebay.request") && left.getAndDecrement() > 0) {
            try {
              both.await(1, TimeUnit.MINUTES);
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          }
        };
    restart(
        builder("shops")
            .queues(backend, 2)
            .dataSource(WatchedDriver.over(database.gateway(), meets)));
    List<Pending<Long>> sent = new ArrayList<>();
    for (String partition : List.of("a", "d")) {
      sent.add(
          client.keyed("shop", "k").partitionedBy(partition).executeUpdate(INSERT, 7L, "tea", 1.0));
    }
    for (Pending<Long> each : sent) {
      assertThat(get(each)).isEqualTo(1);
    }
    assertThat(sent).extracting(it -> it.receipt().partition()).doesNotHaveDuplicates();
    assertThat(left).as("attempts that do not meet").hasNonPositiveValue();
    assertThat(database.rows("select id from item")).containsExactly("7");
  }

  /** Sends a line of a stream that inserts its number. */
  Pending<Long> line(String stream, long number, long previous) {
    return client
        .keyed("shop", new StreamLine(stream, number, previous).key())
        .executeUpdate(INSERT, number, stream, stream.equals("bad") ? -1.0 : 1.0);
  }

  @Test
  void aLineOfAStreamIsPerformedOnceHoweverOftenItComes() throws Exception {
    pause(service, "so that the first lines come together");
    List<Pending<Long>> first = new ArrayList<>();
    for (long number : new long[] {1, 2, 2, 4, 3, 1}) {
      first.add(line("s", number, StreamLine.ANY));
    }
    service.resume();
    for (int each : new int[] {0, 1, 3}) {
      assertThat(get(first.get(each))).isEqualTo(1);
    }
    for (int each : new int[] {2, 4, 5}) {
      assertThat(failure(first.get(each)).kind()).isEqualTo(SqlFailure.Kind.REPEATED);
    }
    assertThat(failure(line("s", 4, 2)).kind()).isEqualTo(SqlFailure.Kind.REPEATED);
    assertThat(get(line("s", 5, 4))).isEqualTo(1);
    assertThat(database.rows("select id from item order by id"))
        .containsExactly("1", "2", "4", "5");
    assertThat(database.rows("select client, stream, line, done, failed from forebay.stream"))
        .containsExactly("shop,s,5,4,0");
  }

  @Test
  void aLineWhosePreviousOneIsMissingIsNotPerformed() throws Exception {
    assertThat(get(line("s", 1, StreamLine.ANY))).isEqualTo(1);
    assertThat(failure(line("s", 3, 2)).kind()).isEqualTo(SqlFailure.Kind.LINE_MISSING);
    assertThat(failure(line("s", 4, 3)).kind()).isEqualTo(SqlFailure.Kind.LINE_MISSING);
    assertThat(get(line("s", 2, StreamLine.ANY))).isEqualTo(1);
    assertThat(get(line("s", 3, 2))).isEqualTo(1);
    assertThat(database.rows("select id from item order by id")).containsExactly("1", "2", "3");
    assertThat(database.rows("select line, done, failed from forebay.stream"))
        .containsExactly("3,3,0");
  }

  @Test
  void countsHowTheLinesOfEachStreamEnded() throws Exception {
    pause(service, "so that all come together");
    List<Pending<Long>> pending = new ArrayList<>();
    for (long number = 1; number <= 300; number++) {
      pending.add(line("s", number, number == 1 ? StreamLine.ANY : number - 1));
      pending.add(line("bad", number == 7 ? 6 : number, StreamLine.ANY));
    }
    service.resume();
    CompletableFuture.allOf(pending.toArray(CompletableFuture<?>[]::new))
        .handle((_, _) -> null)
        .get(1, TimeUnit.MINUTES);
    assertThat(
            database.rows("select stream, line, done, failed from forebay.stream order by stream"))
        .containsExactly("bad,300,0,299", "s,300,300,0");
  }

  @Test
  void aKeyIsForgottenWhenItsTimeIsOver() throws Exception {
    try (Writer<JDBCStatement> writer = service.createWriter()) {
      writer.keyed("shop", "k").calls().executeUpdate(INSERT, 7L, "tea", 1.0);
    }
    get(client.executeUpdate(INSERT_OTHER, 1L));
    IdempotencyKeys keys = new IdempotencyKeys("shop", 0);
    try (DatabaseSession session =
        new DatabaseSession(
            database.gateway().getConnection(), GatewaySettings.DEFAULT_STATEMENT_TIMEOUT)) {
      keys.forget(session, Instant.now().minusSeconds(3_600));
      session.commit();
      assertThat(database.rows("select idem_key from forebay.request")).containsExactly("k");
      keys.forget(session, Instant.now().plusSeconds(1));
      session.commit();
      assertThat(database.rows("select idem_key from forebay.request")).isEmpty();
    }
  }

  /** What a test says the time is. */
  static final class SetClock {
    volatile Instant wall = Instant.now();
    volatile long nanos = 17;

    GatewayClock clock() {
      return new GatewayClock(() -> wall, () -> nanos);
    }

    void pass(Duration time) {
      wall = wall.plus(time);
      nanos += time.toNanos();
    }
  }

  private Pending<Long> keyed(String key, long id) {
    return client.keyed("shop", key).executeUpdate(INSERT, id, "tea", 1.0);
  }

  @Test
  void aKeyIsRememberedAsLongAsItsDuplicateWaits() throws Exception {
    SetClock time = new SetClock();
    restart(builder().clock(time.clock()).options(ServiceOptions.defaults().withMaxBatch(1)));
    assertThat(get(keyed("k", 7))).isEqualTo(1);
    pause(service, "longer than keys are kept");
    await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> service.state().phase() == ServiceState.Phase.PAUSED);
    Pending<Long> first = client.executeUpdate(INSERT_OTHER, 1L);
    Pending<Long> second = client.executeUpdate(INSERT_OTHER, 2L);
    Pending<Long> duplicate = keyed("k", 7);
    time.pass(Duration.ofHours(1_000));
    service.resume();
    assertThat(get(first)).isEqualTo(1);
    assertThat(get(second)).isEqualTo(1);
    assertThat(get(duplicate)).isEqualTo(1);
    assertThat(database.rows("select id from item")).containsExactly("7");
    // and forgotten when none waits
    time.pass(Duration.ofHours(1_000));
    get(client.executeUpdate(INSERT_OTHER, 3L));
    assertThat(database.rows("select idem_key from forebay.request")).isEmpty();
  }

  @Test
  void aKeyIsRememberedWhateverTheWallClockDoes() throws Exception {
    SetClock time = new SetClock();
    restart(builder().clock(time.clock()));
    assertThat(get(keyed("k", 7))).isEqualTo(1);
    for (Duration jump : List.of(Duration.ofDays(3_650), Duration.ofDays(-20_000))) {
      time.wall = time.wall.plus(jump);
      time.nanos += Duration.ofHours(2).toNanos();
      get(client.executeUpdate(INSERT_OTHER, 1L));
      get(client.executeUpdate(INSERT_OTHER, 1L));
      assertThat(get(keyed("k", 7))).isEqualTo(1);
      assertThat(get(keyed("of " + jump, 8))).isEqualTo(1);
      time.nanos = -3;
      restart(builder().clock(time.clock()));
      get(client.executeUpdate(INSERT_OTHER, 1L));
      assertThat(get(keyed("k", 7))).isEqualTo(1);
    }
    assertThat(database.rows("select id from item order by id")).containsExactly("7", "8", "8");
    time.pass(Duration.ofHours(1_000));
    get(client.executeUpdate(INSERT_OTHER, 1L));
    assertThat(database.rows("select idem_key from forebay.request")).isEmpty();
  }

  @Test
  void aFailedMessageIsKeptByTheWallClockThatItBears() throws Exception {
    SetClock time = new SetClock();
    restart(builder().clock(time.clock()));
    get(client.executeUpdate(INSERT_OTHER, 1L));
    time.wall = time.wall.minus(Duration.ofDays(1_000));
    failure(client.executeUpdate(INSERT, 1L, null, 1.0));
    for (Duration passed : List.of(Duration.ofHours(2), Duration.ofDays(100))) {
      time.pass(passed);
      get(client.executeUpdate(INSERT_OTHER, 1L));
      get(client.executeUpdate(INSERT_OTHER, 1L));
      assertThat(database.rows("select count(*) from forebay.failed_message"))
          .containsExactly(passed.toDays() == 0 ? "1" : "0");
    }
  }

  @Test
  void aReplayTakesOverAKeyThatFailedAndOneThatWasDoneAnswersWhatItDid() throws Exception {
    try (Writer<JDBCStatement> writer = service.createWriter()) {
      List<String> results = new ArrayList<>();
      String sql =
          "insert into item select id, 'tea', 1 from other where id / (id - 3) < 0 or id > 3";
      get(client.executeUpdate(INSERT_OTHER, 3L));
      writer.keyed("shop", "k").calls().executeUpdate(sql);
      get(client.executeUpdate("update other set id = 4"));
      writer.keyed("shop", "k").calls().executeUpdate(sql);
      UUID failed = writer.lastId();
      writer.keyed("shop", "k").replay(failed).calls().executeUpdate(sql);
      writer.keyed("shop", "k").replay(failed).calls().executeUpdate(sql);
      get(client.executeUpdate("update other set id = 5"));
      try (Reader<JDBCResult> reader = service.createReader(new ResultLog(results, null))) {
        while (reader.poll(100) > 0) {
          // all there are
        }
      }
      assertThat(results).containsExactly("1", "DATA", "1", "DATA", "1", "1", "1");
      assertThat(database.rows("select id from item")).containsExactly("4");
    }
  }

  @Test
  void aRetryBehindAReplayInTheSameBatchHasTheResultOfTheReplay() throws Exception {
    String sql = "insert into item select id, 'tea', 1 from other where 1 / (id - 3) > -1";
    get(client.executeUpdate(INSERT_OTHER, 3L));
    Pending<Long> first = client.keyed("shop", "k").executeUpdate(sql);
    assertThat(failure(first).kind()).isEqualTo(SqlFailure.Kind.DATA);
    get(client.executeUpdate("update other set id = 4"));
    pause(service, "so that both come together");
    try (Writer<JDBCStatement> writer = service.createWriter()) {
      writer.keyed("shop", "k").replay(first.receipt().id()).calls().executeUpdate(sql);
    }
    Pending<Long> retry = client.keyed("shop", "k").executeUpdate(sql);
    service.resume();
    assertThat(get(retry)).isEqualTo(1);
    assertThat(database.rows("select id from item")).containsExactly("4");
  }

  @Test
  void refusesWhatWouldBreakTheBatchAndPerformsItsNeighbours() throws Exception {
    pause(service, "so that all come together");
    Pending<Long> before = client.executeUpdate(INSERT, 1L, "tea", 1.0);
    List<Pending<Long>> refused =
        List.of(
            client.executeUpdate("commit"),
            client.executeUpdate("rollback"),
            client.executeUpdate("set schema public"),
            client.executeUpdate("delete from other; commit"),
            client.executeUpdate("update forebay.progress set epoch = 0"));
    Pending<Long> after = client.executeUpdate(INSERT, 2L, "tea", 1.0);
    service.resume();
    for (Pending<Long> each : refused) {
      assertThat(failure(each).kind()).isEqualTo(SqlFailure.Kind.UNSUPPORTED);
    }
    assertThat(get(before) + get(after)).isEqualTo(2);
    assertThat(failure(client.executeUpdate("no such statement")).kind())
        .isIn(SqlFailure.Kind.STATEMENT, SqlFailure.Kind.UNSUPPORTED);
  }

  /** A statement of the catalogue, whose parameters are those of its text in reverse. */
  private record Named(String sql, boolean isQuery) implements StatementCatalogue.Entry {
    @Override
    public Object[] arguments(Object[] values) {
      if (values.length == 0) {
        throw new IllegalArgumentException("it has parameters");
      }
      return List.of(values).reversed().toArray();
    }
  }

  /** A gateway that performs what the catalogue has, and nothing else. */
  private void restartWithoutText(Map<String, Named> catalogue) {
    restart(
        builder()
            .acceptText(false)
            .catalogue((gateway, reference) -> {
              assertThat(gateway).isEqualTo("shop");
              Named named = catalogue.get(reference);
              if (named == null) {
                throw new NoSuchElementException("there is another version");
              }
              return named;
            }));
  }

  private static final Map<String, Named> NAMED =
      Map.of(
          "items.add@2",
          new Named(INSERT, false),
          "items.find@1:0123456789abcdef",
          new Named("select name from item where price < ? and id = ?", true));

  @Test
  void performsWhatTheCatalogueHas() throws Exception {
    restartWithoutText(NAMED);
    assertThat(get(client.executeUpdate("items.add@2", 1.0, "tea", 1L))).isEqualTo(1);
    assertThat(
            get(
                client.executeTogether(
                    List.of(
                        Call.of("items.add@2", 2.0, "rum", 2L),
                        Call.of("items.add@2", 3.0, "gin", 3L)))))
        .containsExactly(1L, 1L);
    Rows rows = get(client.executeQuery("items.find@1:0123456789abcdef", Row.class, 2L, 9.0));
    assertThat(rows.values()).containsExactly(List.of("rum"));
    assertThat(database.rows("select id, name from item order by id"))
        .containsExactly("1,tea", "2,rum", "3,gin");
  }

  @Test
  void aReferenceHasOneEffectForItsKeyAndItsArgumentsBelongToTheRequest() throws Exception {
    restartWithoutText(NAMED);
    for (int i = 0; i < 2; i++) {
      assertThat(get(client.keyed("shop", "k").executeUpdate("items.add@2", 1.0, "tea", 1L)))
          .isEqualTo(1);
    }
    assertThat(failure(client.keyed("shop", "k").executeUpdate("items.add@2", 1.0, "rum", 1L)))
        .extracting(SqlFailure::kind)
        .isEqualTo(SqlFailure.Kind.KEY_REUSED);
    assertThat(database.rows("select name from item")).containsExactly("tea");
  }

  @Test
  void whoHandsOverATextThatIsNotAcceptedIsRefusedAtOnce() throws Exception {
    restartWithoutText(NAMED);
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> client.keyed("shop", "k").executeUpdate(INSERT, 1L, "tea", 1.0),
            () -> client.executeQuery("select 1", Row.class),
            () ->
                client.executeTogether(
                    List.of(Call.of("items.add@2", 1.0, "tea", 1L), Call.of("delete from item"))),
            () -> {
              try (SharedStatement shared = new SharedStatement(service)) {
                shared.executeUpdate("delete from item");
              }
            })) {
      assertThatThrownBy(call)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("gateway shop accepts no SQL text")
          .hasMessageContaining("forebay.gateways.shop.accept-text is false")
          .hasMessageContaining("nothing was sent");
    }
    assertThat(client.outstanding()).isZero();
    get(client.executeUpdate("items.add@2", 2.0, "rum", 2L));
    assertThat(database.rows("select count(*) from forebay.request"))
        .as("the next statement has no key of the one that was refused")
        .containsExactly("0");
  }

  @Test
  void aTextOrAVersionThatIsNotThereIsAnsweredAndListedAsFailed() throws Exception {
    restartWithoutText(NAMED);
    pause(service, "so that all come together");
    List<String> results = new ArrayList<>();
    try (Writer<JDBCStatement> writer = service.createWriter();
        Reader<JDBCResult> reader = service.createReader(new ResultLog(results, null))) {
      writer.calls().executeUpdate("items.add@2", 1.0, "tea", 1L);
      writer.calls().executeUpdate(INSERT, 2L, "text", 1.0);
      writer.keyed("shop", "k").calls().executeUpdate("delete from item");
      writer.calls().executeQuery("select 1", Row.class);
      writer
          .calls()
          .executeTogether(
              List.of(Call.of("items.add@2", 1.0, "rum", 3L), Call.of("delete from item")));
      writer.calls().executeUpdate("items.add@1", 1.0, "old", 4L);
      writer.calls().executeUpdate("items.find@1:0123456789abcdef", 4L, 9.0);
      writer.calls().executeUpdate("items.add@2");
      writer.calls().executeUpdate("items.add@2", 1.0, "gin", 5L);
      service.resume();
      await().until(() -> service.position(0) == 9);
      while (reader.poll(100) > 0) {
        // all there are
      }
    }
    assertThat(results)
        .containsExactly(
            "1",
            "UNSUPPORTED",
            "UNSUPPORTED",
            "UNSUPPORTED",
            "UNSUPPORTED",
            "UNSUPPORTED",
            "UNSUPPORTED",
            "STATEMENT",
            "1");
    assertThat(database.rows("select name from item order by id")).containsExactly("tea", "gin");
    assertThat(
            database.rows(
                "select position, sql_state from forebay.failed_message order by position"))
        .containsExactly(
            "1,42501", "2,42501", "3,42501", "4,42501", "5,26000", "6,0A000", "7,07001");
    assertThat(database.rows("select detail from forebay.failed_message order by position"))
        .startsWith(
            "gateway shop accepts no SQL text (forebay.gateways.shop.accept-text is false); nothing"
                + " was performed; send a statement of the catalogue as name@version")
        .contains("there is another version; items.add@1 was not performed");
  }

  @Test
  void textAndReferencesStandSideBySideWhereTextIsAccepted() throws Exception {
    restart(builder().catalogue((_, _) -> new Named(INSERT, false)));
    pause(service, "so that all come together");
    Pending<Long> text = client.executeUpdate(INSERT, 1L, "tea", 1.0);
    Pending<Long> named = client.executeUpdate("items.add@1", 1.0, "rum", 2L);
    service.resume();
    assertThat(get(text) + get(named)).isEqualTo(2);
    restart(builder());
    assertThat(failure(client.executeUpdate("items.add@1", 1.0, "rum", 2L)))
        .isEqualTo(
            new SqlFailure(
                "26000",
                0,
                SqlFailure.Kind.UNSUPPORTED,
                "gateway shop has no catalogue; items.add@1 was not performed"));
  }

  @Test
  void measuresHowLongTheStatementsOfTheCatalogueTakeAndTheTextsOutsideItTogether()
      throws Exception {
    AtomicReference<String> name = new AtomicReference<>("items.add");
    restart(
        builder()
            .catalogue(
                new StatementCatalogue() {
                  @Override
                  public Entry find(String gateway, String reference) {
                    return new Named(INSERT, false);
                  }

                  @Override
                  public Known known(String gateway, String text) {
                    return text.equals(INSERT)
                        ? new Known(name.get(), List.of(), false, false)
                        : null;
                  }
                }));
    pause(service, "so that all come together");
    List<Pending<Long>> pending = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      pending.add(client.executeUpdate("items.add@1", 1.0, "tea", (long) i));
    }
    pending.add(client.executeUpdate(INSERT_OTHER, 1L));
    service.resume();
    for (Pending<Long> each : pending) {
      get(each);
    }
    get(
        client.executeTogether(
            List.of(Call.of("items.add@1", 2.0, "rum", 200L), Call.of(INSERT_OTHER, 2L))));
    get(client.executeQuery("select id from item", Row.class));
    assertThat(failure(client.executeUpdate("items.add@1", -1.0, "tea", 201L))).isNotNull();
    StatementCounts times = service.statementTimes();
    assertThat(times.statements())
        .as("an attempt that failed counts, too")
        .extracting(StatementCounts.Statement::name, StatementCounts.Statement::count)
        .containsExactly(tuple("items.add", 103L), tuple(null, 3L));
    assertThat(times.statements()).allMatch(it -> it.nanos() > 0);
    assertThat(times.transactionNanos())
        .isGreaterThan(
            times.statements().stream().mapToLong(StatementCounts.Statement::nanos).sum());
    name.set("items.put");
    get(client.executeUpdate("items.add@1", 1.0, "tea", 202L));
    assertThat(service.statementTimes().statements())
        .as("the catalogue renamed it")
        .extracting(StatementCounts.Statement::name, StatementCounts.Statement::count)
        .containsExactlyInAnyOrder(
            tuple("items.add", 103L), tuple("items.put", 1L), tuple(null, 3L));
  }

  @Test
  void takesNoArgumentFromTheCallBefore() throws Exception {
    get(client.executeUpdate(INSERT, 1L, "tea", 1.0));
    SqlFailure failure = failure(client.executeUpdate(INSERT, 2L, "coffee"));
    assertThat(failure.kind()).isEqualTo(SqlFailure.Kind.STATEMENT);
    assertThat(failure.message())
        .isEqualTo("the statement has 3 parameters, but 2 arguments were given");
    assertThat(failure(client.executeUpdate(INSERT, 3L, "cocoa", 1.0, 2.0)).sqlState())
        .isEqualTo("07001");
    assertThat(database.rows("select id from item")).containsExactly("1");
  }

  @Test
  void whatCannotBePerformedOrCarriedIsAnsweredAndTakesNothingWithIt() throws Exception {
    assertThat(failure(client.executeUpdate(INSERT, (Object[]) null)).kind())
        .isEqualTo(SqlFailure.Kind.STATEMENT);
    assertThat(failure(client.executeTogether(List.of())).kind()).isEqualTo(SqlFailure.Kind.LIMIT);
    assertThat(
            failure(client.executeTogether(Collections.nCopies(5_000, Call.of(INSERT_OTHER, 1L))))
                .kind())
        .isEqualTo(SqlFailure.Kind.LIMIT);
    String emoji = "\ud83d\ude00".repeat(400);
    assertThat(failure(client.executeUpdate("select '" + emoji + "' from nowhere")).message())
        .isNotEmpty();
    assertThat(get(client.executeUpdate(INSERT, 1L, "tea", 1.0))).isEqualTo(1);
  }

  /** Whatever a message can carry, its key is read: nothing of it fails the partition. */
  @Test
  void aKeyedStatementWhoseArgumentNoColumnTakesFailsAloneAndItsKeyHasThisResult()
      throws Exception {
    Object nested = 1L;
    for (int depth = 0; depth < 31; depth++) {
      nested = List.of(nested);
    }
    List<Object> unfit = List.of(nested, Row.class, new Row(List.of("id"), List.of(1L)));
    for (int i = 0; i < unfit.size(); i++) {
      StatementClient.Statements keyed = client.keyed("shop", "unfit-" + i);
      SqlFailure failure = failure(keyed.executeUpdate(INSERT_OTHER, unfit.get(i)));
      assertThat(failure(keyed.executeUpdate(INSERT_OTHER, unfit.get(i)))).isEqualTo(failure);
      assertThat(failure(keyed.executeUpdate(INSERT_OTHER, 1L)).kind())
          .isEqualTo(SqlFailure.Kind.KEY_REUSED);
      if (i > 0) { // a list of calls adds to the nesting
        List<Call> together = List.of(Call.of(INSERT_OTHER, unfit.get(i)));
        assertThat(failure(client.keyed("shop", "together-" + i).executeTogether(together)))
            .isNotNull();
      }
    }
    assertThat(get(client.executeUpdate(INSERT_OTHER, 1L))).isEqualTo(1);
    assertThat(database.rows("select count(*) from other")).containsExactly("1");
  }

  /** The message carries the argument once, and its text uses it five times. */
  @Test
  void aKeyedStatementMayUseALargeArgumentSeveralTimes() throws Exception {
    String is = "cast(? as varchar(1000000)) = 'y'";
    String sql = "delete from item where " + String.join(" or ", Collections.nCopies(5, is));
    restart(
        builder()
            .catalogue((_, _) ->
                new StatementCatalogue.Entry() {
                  @Override
                  public String sql() {
                    return sql;
                  }

                  @Override
                  public boolean isQuery() {
                    return false;
                  }

                  @Override
                  public Object[] arguments(Object[] values) {
                    return Collections.nCopies(5, values[0]).toArray();
                  }
                }));
    String large = "x".repeat(900_000);
    for (int i = 0; i < 2; i++) {
      assertThat(get(client.keyed("shop", "large").executeUpdate("items.delete@1", large)))
          .isZero();
    }
    assertThat(get(client.executeUpdate(INSERT_OTHER, 1L))).isEqualTo(1);
  }

  @Test
  void aResultBeyondAllLimitsFailsAndTheServiceContinues() throws Exception {
    pause(service, "so that all come together");
    for (int i = 0; i < 9_000; i++) {
      client.executeUpdate("insert into item (id, name, price) values (?, 'tea', 1)", (long) i);
    }
    service.resume();
    assertThat(
            failure(
                    client.executeQuery(
                        "select a.id, a.name, a.price, a.name as n2, a.name as n3, a.name as n4,"
                            + " a.name as n5, a.name as n6, a.name as n7, a.name as n8, a.name as"
                            + " n9, a.name as n10, a.name as n11, a.name as n12, a.name as n13 from"
                            + " item a",
                        Row.class))
                .kind())
        .isEqualTo(SqlFailure.Kind.LIMIT);
    assertThat(get(client.executeUpdate(INSERT, 1L, "tea", 1.0))).isEqualTo(1);
  }

  @Test
  void aReceiptOfAnotherLifeOfTheQueueFindsNothing() throws Exception {
    Pending<Long> pending = client.executeUpdate(INSERT, 1L, "tea", 1.0);
    get(pending);
    Receipt receipt = pending.receipt();
    Receipt other = new Receipt(receipt.partition(), receipt.position(), UUID.randomUUID());
    assertThat(client.result(receipt, new ResultLog(new ArrayList<>(), null))).isTrue();
    assertThat(client.result(other, new ResultLog(new ArrayList<>(), null))).isFalse();
  }

  @Test
  void aResultThatIsTooLargeFailsAndIsUndone() throws Exception {
    for (int i = 0; i < 101; i++) {
      get(client.executeUpdate(INSERT, (long) i, "tea", 1.0));
    }
    String pairs = "select a.id from item a cross join item b where a.id < 100";
    assertThat(failure(client.executeQuery(pairs, Row.class)))
        .extracting(SqlFailure::kind, SqlFailure::message)
        .containsExactly(
            SqlFailure.Kind.LIMIT,
            "the result has too many rows (limit=10,000); the query was rolled back");
    assertThat(get(client.executeQuery(pairs + " and b.id < 100", Row.class)).size())
        .isEqualTo(10_000);
    String text = "select repeat('x', %d) from item where id = 0";
    assertThat(failure(client.executeQuery(text.formatted(530_000), Row.class)).kind())
        .isEqualTo(SqlFailure.Kind.LIMIT);
    assertThat(get(client.executeQuery(text.formatted(520_000), Row.class)).size()).isEqualTo(1);
  }

  @Test
  void anUndecodableMessageBecomesADeadLetterAndTheServiceContinues() throws Exception {
    try (Appender appender = service.in().appender()) {
      appender.append(0, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }
    assertThat(get(client.executeUpdate(INSERT, 1L, "tea", 1.0))).isEqualTo(1);
    assertThat(database.rows("select position, kind, service from forebay.failed_message"))
        .containsExactly("0,MALFORMED,shop");
  }

  @Test
  void findsAResultByItsReceiptAmongMany() throws Exception {
    List<Pending<Long>> pending =
        IntStream.range(0, 1_000)
            .mapToObj(i -> client.executeUpdate(INSERT, (long) i, "tea", i == 500 ? -1 : 1.0))
            .toList();
    get(pending.getLast());
    for (int i : List.of(0, 1, 499, 500, 501, 998, 999)) {
      List<String> results = new ArrayList<>();
      assertThat(client.result(pending.get(i).receipt(), new ResultLog(results, null))).isTrue();
      assertThat(results).containsExactly(i == 500 ? "CONSTRAINT" : "1");
    }
    Receipt unknown = new Receipt(0, 5_000, UUID.randomUUID());
    assertThat(client.result(unknown, new ResultLog(new ArrayList<>(), null))).isFalse();
  }

  @Test
  void refusesMoreStatementsThanMayBeUnanswered() throws Exception {
    try (StatementClient small = service.createClient(2)) {
      pause(service, "so that nothing is answered");
      Pending<Long> first = small.executeUpdate(INSERT, 1L, "tea", 1.0);
      small.executeUpdate(INSERT, 2L, "tea", 1.0);
      assertThatThrownBy(() -> small.executeUpdate(INSERT, 3L, "tea", 1.0))
          .isInstanceOf(QueueRefused.class)
          .hasMessageContaining("2 statements of this client await their results (limit=2)");
      service.resume();
      get(first);
    }
  }

  @Test
  void keepsOnlyTheOutcomesThatMayStillBeAnswered() throws Exception {
    for (int i = 0; i < 100; i++) {
      get(client.executeUpdate(INSERT, (long) i, "tea", 1.0));
    }
    assertThat(database.rows("select count(*) from forebay.outcome"))
        .first()
        .satisfies(count -> assertThat(Integer.parseInt(count)).isLessThan(40));
    assertThat(service.drain(Duration.ofSeconds(20))).isTrue();
    assertThat(database.rows("select count(*) from forebay.outcome group by partition_id"))
        .as("the newest one, which is the progress")
        .containsOnly("1");
    assertThat(database.rows("select drained from forebay.progress")).containsAnyOf("t", "TRUE");
  }

  @Test
  void anotherQueueFollowsOneOfWhichNothingIsLeft() throws Exception {
    get(client.executeUpdate(INSERT, 1L, "tea", 1.0));
    restart(builder());
    assertThat(get(client.executeUpdate(INSERT, 2L, "tea", 1.0))).isEqualTo(1);
    assertThat(database.rows("select count(*) from item")).containsExactly("2");
  }

  @Test
  void aQueueInMemoryMayFollowOneWithMorePartitions() throws Exception {
    restart(builder().queues(backend, 4));
    for (int i = 0; i < 20; i++) {
      get(client.executeUpdate(INSERT, (long) i, "tea", 1.0));
    }
    restart(builder());
    get(client.executeUpdate(INSERT, 20L, "tea", 1.0));
    assertThat(database.rows("select count(*) from item")).containsExactly("21");
  }

  @Test
  void statementsCanBePerformedWithoutAQueue() throws Exception {
    List<String> results = new ArrayList<>();
    try (DirectStatements direct =
        new DirectStatements(database.gateway(), new ResultLog(results, null))) {
      direct.executeUpdate(INSERT, 1L, "tea", 1.0);
      direct.executeUpdate(INSERT, 2L, "tea", -1.0);
      direct.executeQuery("select count(*) from item", Row.class);
      direct.executeTogether(List.of(Call.of(INSERT, 3L, "tea", 1.0), Call.of(INSERT_OTHER, 4L)));
      direct.executeUpdate("commit");
    }
    assertThat(results).containsExactly("1", "CONSTRAINT", "[[1]]", "1", "1", "UNSUPPORTED");
    assertThat(database.rows("select id from item order by id")).containsExactly("1", "3");
  }

  @Test
  void withoutAQueueNothingOfAGroupTakesEffectIfTheDriverFails() throws Exception {
    WatchedDriver.Observer fails =
        what -> {
          if (what.startsWith(INSERT_OTHER)) {
            throw new IllegalStateException("for a test");
          }
        };
    try (DirectStatements direct =
        new DirectStatements(
            WatchedDriver.over(database.gateway(), fails),
            new ResultLog(new ArrayList<>(), null))) {
      List<Call> group = List.of(Call.of(INSERT, 1L, "tea", 1.0), Call.of(INSERT_OTHER, 4L));
      assertThatThrownBy(() -> direct.executeTogether(group)).hasMessage("for a test");
      direct.executeUpdate(INSERT, 2L, "tea", 1.0);
    }
    assertThat(database.rows("select id from item order by id")).containsExactly("2");
  }

  @Test
  void retriesNothingAndLosesNothingInSmallBatchesOfMixedKinds() throws Exception {
    restart(builder().options(ServiceOptions.defaults().withMaxBatch(3)));
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      switch (i % 4) {
        case 0 -> all.add(client.executeUpdate(INSERT, (long) i, "tea", 1.0));
        case 1 -> all.add(client.executeQuery("select id from item", Row.class));
        case 2 -> all.add(client.executeTogether(List.of(Call.of(INSERT_OTHER, (long) i))));
        default -> all.add(client.executeUpdate(INSERT_OTHER, (long) i));
      }
    }
    for (CompletableFuture<?> each : all) {
      get(each);
    }
    assertThat(database.rows("select count(*) from item")).containsExactly("15");
    assertThat(database.rows("select count(*) from other")).containsExactly("30");
  }
}
