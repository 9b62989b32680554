/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.database.CapturedLog;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.SqlFailed;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.jdbc.gateway.StatementClient.Statements;
import io.forebay.jdbc.ledger.FailureLog;
import io.forebay.jdbc.ledger.IdempotencyKeys;
import io.forebay.jdbc.ledger.ReplayKey;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.GeneratedKey;
import io.forebay.jdbc.statement.StatementTexts;
import io.forebay.operations.failures.DecisionRefused;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureId;
import io.forebay.operations.failures.FailureValues;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.Selection;
import io.forebay.operations.failures.ServiceFailures;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.Tailer;
import io.forebay.service.ServiceState;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is kept of messages that were not performed, and how they are sent again. */
abstract class FailuresContract extends GatewayFixture {

  private static final StatementTexts NO_CATALOGUE =
      new StatementTexts("shop", true, StatementCatalogue.NONE);

  static final String INSERT = "insert into item (id, name) values (?, ?)";

  Failures failed;

  @Override
  void createTables() throws SQLException {
    database.createTable("item", "id bigint, name varchar(20) not null");
    database.createTable("allowed", "id bigint primary key");
  }

  @Override
  JDBCService.Builder builder() {
    return super.builder().queues(backend, 2);
  }

  @BeforeEach
  void awaitRunning() {
    await().until(() -> service.state().phase() == ServiceState.Phase.RUNNING);
    failed = new Failures(List.of(new GatewayFailures(service)));
  }

  static Object result(Pending<?> pending) throws Exception {
    try {
      return pending.get(120, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      return ((SqlFailed) e.getCause()).failure().kind();
    }
  }

  private List<Failure> all() {
    return failed.list(null, null, Failures.MAX_LIMIT).failures();
  }

  private Failure only() {
    assertThat(all()).hasSize(1);
    return all().getFirst();
  }

  private Failure awaitOutcome(Failures failures, String id, Failure.Outcome outcome) {
    return await()
        .until(
            () -> failures.find(id).orElseThrow(),
            failure -> failure.replay() != null && failure.replay().outcome() == outcome);
  }

  /** Fails until its id is in the table of allowed ones. */
  private static final String TEA = "insert into item (id, name) values (?, 'tea')";

  /** The example of a keyed statement in docs/message-format.md, with an empty key. */
  private static final String WITH_EMPTY_KEY =
      "86005001890a5dac96774bbcceb302099a80571b0006368163039240a266636c69656e746473686f"
          + "70636b6579606d65786563757465557064617465827064656c6574652066726f6d206974656d80";

  private static final String IF_ALLOWED =
      "insert into item (id, name) select ?, (select 'tea' from allowed where id = ?)"
          + " from (values (0)) as one(x)";

  @Test
  void keepsEachStatementThatFailedAsItCameAndNoValueInItsDescription() throws Exception {
    pause(service, "so that all come together");
    List<Pending<Long>> pending = new ArrayList<>();
    for (int i = 0; i < 1_200; i++) {
      pending.add(client.executeUpdate(INSERT, (long) i, i % 2 == 0 ? null : "secret " + i));
    }
    Pending<Long> wrong = client.executeUpdate("insert into item values ('secret', 'name')");
    Pending<Long> refused = client.executeUpdate("commit");
    Map<String, byte[]> sent = messages(service.in());
    service.resume();
    for (int i = 0; i < 1_200; i++) {
      assertThat(result(pending.get(i))).isEqualTo(i % 2 == 0 ? SqlFailure.Kind.CONSTRAINT : 1L);
    }
    result(wrong);
    result(refused);
    assertThat(database.rows("select count(*) from forebay.failed_message")).containsExactly("602");
    assertThat(service.view().counts().failed()).isEqualTo(602);
    long inTransactions = service.statementTimes().transactionNanos();
    assertThat(service.lostNanos()).isBetween(inTransactions / 4, inTransactions);
    assertThat(service.view().counts().performed()).isEqualTo(1_202);

    List<Failure> listed = new ArrayList<>();
    String next = null;
    do {
      Failures.Page page = failed.list("shop", next, 100);
      assertThat(page.failures()).hasSizeLessThanOrEqualTo(100);
      listed.addAll(page.failures());
      next = page.next();
    } while (next != null);
    assertThat(listed).extracting(Failure::id).hasSize(602).doesNotHaveDuplicates();
    assertThat(listed).extracting(Failure::at).isSortedAccordingTo((a, b) -> b.compareTo(a));
    assertThat(listed).extracting(Failure::detail).noneMatch(text -> text.contains("secret"));
    assertThat(listed)
        .filteredOn(failure -> failure.kind().equals("CONSTRAINT"))
        .hasSize(600)
        .allSatisfy(failure ->
            assertThat(failure.detail())
                .isEqualToIgnoringCase("no value, although one is required, column name of item"));
    assertThat(listed).extracting(Failure::replay).containsOnlyNulls();
    for (Failure failure : listed) {
      assertThat(payload(failure)).isEqualTo(sent.get(failure.id())).hasSize((int) failure.bytes());
    }
    assertThat(failed.list("other", null, 10).failures()).isEmpty();
  }

  @Test
  void namesConstraintTableAndColumnButNoValue() throws Exception {
    try (Connection owner = database.owner().getConnection();
        Statement statement = owner.createStatement()) {
      statement.execute("alter table item add constraint tea_only check (name = 'tea')");
    }
    result(client.executeUpdate(INSERT, 1L, "x ; s table: secret"));
    assertThat(only().detail())
        .isEqualToIgnoringCase("check constraint tea_only of item violated")
        .doesNotContain("secret");
  }

  @Test
  void namesTheCallerAndKeyButNoSqlText() throws Exception {
    result(client.keyed("web", "order-7").executeUpdate(INSERT, 1L, null));
    assertThat(only().origin()).isEqualTo(new Failure.Origin(null, "web", "order-7"));
    result(client.executeUpdate("tea.add@3:0123456789abcdef", 1L));
    assertThat(all().getFirst().origin()).isEqualTo(new Failure.Origin("tea.add@3", null, null));
  }

  @Test
  void showsTheArgumentsAndTheMessageOfTheDatabaseOnlyIfAsked() throws Exception {
    BigDecimal price = new BigDecimal("4711.90");
    result(client.executeUpdate(INSERT, 7L, "secret of 'Ada' that is too long"));
    result(client.executeUpdate(INSERT, price, null));
    FailureValues text = failed.values(all().getLast().id()).orElseThrow();
    assertThat(text.calls())
        .containsExactly(
            new FailureValues.Call(
                "executeUpdate",
                List.of('"' + INSERT + '"', "[7, \"secret of 'Ada' that is too long\"]")));
    assertThat(text.error()).containsAnyOf("too long", "size limit");
    assertThat(text.bytes()).isNull();
    assertThat(text.cut()).isNull();
    assertThat(text).asString().doesNotContain("Ada");
    FailureValues number = failed.values(all().getFirst().id()).orElseThrow();
    assertThat(number.calls().getFirst().arguments()).last().isEqualTo("[4711.90, null]");
    assertThat(all()).asString().doesNotContain("Ada", "4711.90");
    assertThat(failed.values("shop~0~77~memory")).isEmpty();
    assertThat(failed.values("nobody~0~77~memory")).isEmpty();
  }

  @Test
  void showsTheBytesOfAMessageThatIsNotOne() throws Exception {
    try (Appender appender = service.in().appender()) {
      appender.append(0, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }
    Failure letter =
        await()
            .until(() -> failed.list(null, null, 10).failures(), found -> !found.isEmpty())
            .getFirst();
    FailureValues shown = failed.values(letter.id()).orElseThrow();
    assertThat(shown.bytes()).isEqualTo("010203");
    assertThat(shown.calls()).isEmpty();
    assertThat(shown.error()).contains("MALFORMED");
  }

  @Test
  void groupsWhatWaitsByServiceAndError() throws Exception {
    for (long i = 0; i < 3; i++) {
      result(client.executeUpdate(IF_ALLOWED, i, i));
    }
    result(
        client.executeUpdate("insert into item (id, name) values (1, 'a name that is too long')"));
    List<Failures.Group> groups = failed.groups("shop", Instant.EPOCH);
    assertThat(groups).extracting(Failures.Group::count).containsExactly(1L, 3L);
    String error = groups.getLast().error();
    assertThat(groups.getFirst().error()).isEqualTo("22001");
    assertThat(groups.getLast().capped()).isFalse();
    assertThat(failed.groups(null, Instant.now().plusSeconds(60))).isEmpty();
    assertThat(failed.groups("other", Instant.EPOCH)).isEmpty();

    Failures.Filter filter = new Failures.Filter("shop", error, Failure.State.OPEN);
    List<Failure> waiting = failed.page(filter, null, 10).failures();
    assertThat(waiting).hasSize(3);
    failed.replay(waiting.getFirst().id(), "olga");
    awaitOutcome(failed, waiting.getFirst().id(), Failure.Outcome.FAILED);
    Failures.Page page = failed.page(filter, null, 1);
    assertThat(page.failures().getFirst().replays()).as("it counts those it repeats").isEqualTo(1);
    assertThat(failed.page(filter, page.next(), 10).failures())
        .hasSize(2)
        .allSatisfy(it -> assertThat(it.replays()).isZero());
    Failures.Group after = failed.groups("shop", Instant.EPOCH).getFirst();
    assertThat(after.count()).isEqualTo(3);
  }

  @Test
  void aSelectionHasWhatFailedBeforeItsTimeAndAnotherFingerprintOnceThatChanges() throws Exception {
    for (long i = 0; i < 3; i++) {
      result(client.executeUpdate(IF_ALLOWED, i, i));
    }
    Failures.Group group = failed.groups("shop", Instant.EPOCH).getFirst();
    Failures.Filter filter =
        new Failures.Filter("shop", group.error(), group.cause(), Failure.State.OPEN);
    Instant now = group.last().plusMillis(1);
    Selection counted = failed.select(filter, now);
    assertThat(counted.ids()).hasSize(3);
    await().until(() -> Instant.now().isAfter(now));
    result(client.executeUpdate(IF_ALLOWED, 3L, 3L));
    assertThat(failed.select(filter, now)).as("without later ones").isEqualTo(counted);
    assertThat(failed.select(filter, group.last()).ids()).hasSizeLessThan(3);

    failed.replay(counted.ids().getFirst(), "olga");
    awaitOutcome(failed, counted.ids().getFirst(), Failure.Outcome.FAILED);
    Selection rest = failed.select(filter, now);
    assertThat(rest.ids()).isEqualTo(counted.ids().subList(1, 3));
    assertThat(rest.fingerprint()).isNotEqualTo(counted.fingerprint());
  }

  @Test
  void groupsByWhatFailedAndOnWhat() throws Exception {
    String insert = "insert into %s (id) values (?)";
    database.createTable("other", "id bigint primary key");
    for (String table : List.of("allowed", "other", "other")) {
      result(client.executeUpdate(insert.formatted(table), 1L));
      result(client.executeUpdate(insert.formatted(table), 1L));
    }
    result(client.executeUpdate("invented.one@7", 1L));
    result(client.executeUpdate("invented.two@7", 1L));
    List<Failures.Group> groups = failed.groups("shop", Instant.EPOCH);
    assertThat(groups)
        .extracting(it -> it.error() + " " + it.cause().statement() + " " + it.lastMinute())
        .containsExactlyInAnyOrder("26000 null 2", "23505 null 1", "23505 null 3");
    assertThat(groups)
        .extracting(it -> String.valueOf(it.cause().on()).toLowerCase(Locale.ROOT))
        .anyMatch(it -> it.matches("constraint \\S+, table allowed(, column id)?"))
        .anyMatch(it -> it.matches("constraint \\S+, table other(, column id)?"))
        .contains("null");
    for (Failures.Group group : groups) {
      Failures.Filter filter =
          new Failures.Filter("shop", group.error(), group.cause(), Failure.State.OPEN);
      assertThat(failed.page(filter, null, 10).failures())
          .hasSize((int) group.count())
          .extracting(Failure::detail)
          .contains(group.text());
    }
    try (Connection owner = database.owner().getConnection();
        Statement statement = owner.createStatement()) {
      statement.execute(
          "update forebay.failed_message set created_at = created_at - interval '2' minute");
    }
    assertThat(failed.groups("shop", Instant.EPOCH))
        .hasSize(3)
        .allSatisfy(it -> assertThat(it.lastMinute()).isZero());
  }

  private byte[] payload(Failure failure) {
    return failed.message(failure.id()).orElseThrow();
  }

  /** Every message that is in the queue now, by the id that it would be listed under. */
  private static Map<String, byte[]> messages(MessageQueue queue) {
    Map<String, byte[]> messages = new HashMap<>();
    for (int partition = 0; partition < queue.partitions(); partition++) {
      int number = partition;
      try (Tailer tailer = queue.tailer(partition)) {
        tailer.poll(
            Integer.MAX_VALUE,
            (position, message) -> {
              byte[] bytes = new byte[message.remaining()];
              message.get(message.position(), bytes);
              messages.put(new FailureId("shop", number, position, queue.identity()).text(), bytes);
            });
      }
    }
    return messages;
  }

  @Test
  void anAnswerThatWasGivenBeforeIsNoNewFailure() throws Exception {
    for (int i = 0; i < 3; i++) {
      result(client.keyed("shop", "order-7").executeUpdate(INSERT, 1L, null));
    }
    pause(service, "so that both come together");
    Pending<Long> first = client.keyed("shop", "order-8").executeUpdate(INSERT, 1L, null);
    Pending<Long> second = client.keyed("shop", "order-8").executeUpdate(INSERT, 1L, null);
    service.resume();
    result(first);
    result(second);
    assertThat(result(client.keyed("shop", "order-7").executeUpdate(INSERT, 2L, "tea")))
        .isEqualTo(SqlFailure.Kind.KEY_REUSED);
    assertThat(all()).hasSize(2);
    assertThat(service.view().counts().failed()).isEqualTo(2);
  }

  @Test
  void whatIsSentAgainTakesEffectOnceHoweverOftenItIsSent() throws Exception {
    assertThat(result(client.executeUpdate(IF_ALLOWED, 1L, 1L)))
        .isEqualTo(SqlFailure.Kind.CONSTRAINT);
    Failure failure = only();
    result(client.executeUpdate("insert into allowed values (1)"));
    pause(service, "so that it is sent three times before it is performed");
    UUID last = null;
    for (int i = 0; i < 3; i++) {
      Failure sent = failed.replay(failure.id(), "olga").orElseThrow();
      assertThat(sent.replay().outcome()).isEqualTo(Failure.Outcome.PENDING);
      last = sent.replay().messageId();
      assertThat(last).isNotEqualTo(failure.messageId());
    }
    service.resume();
    Failure done = awaitOutcome(failed, failure.id(), Failure.Outcome.DONE);
    assertThat(done.replay().by()).isEqualTo("olga");
    assertThat(done.replay().messageId()).isEqualTo(last);
    assertThatThrownBy(() -> failed.replay(failure.id(), "olga"))
        .isInstanceOf(DecisionRefused.class)
        .hasMessageContaining("took effect");
    assertThat(service.drain(Duration.ofSeconds(20))).isTrue();
    assertThat(database.rows("select id, name from item")).containsExactly("1,tea");
    assertThat(all()).hasSize(1);
  }

  @Test
  void whatFailsAgainIsListedByItselfAndEitherMayBeSentOnceMore() throws Exception {
    result(client.executeUpdate(IF_ALLOWED, 1L, 1L));
    Failure first = only();
    failed.replay(first.id(), "olga");
    Failure again = awaitOutcome(failed, first.id(), Failure.Outcome.FAILED);
    assertThat(all()).hasSize(2);
    Failure second = all().getFirst();
    assertThat(second.messageId()).isEqualTo(again.replay().messageId());

    result(client.executeUpdate("insert into allowed values (1)"));
    failed.replay(second.id(), "olga");
    awaitOutcome(failed, second.id(), Failure.Outcome.DONE);
    assertThatThrownBy(() -> failed.replay(first.id(), "olga")).isInstanceOf(DecisionRefused.class);
    assertThat(database.rows("select count(*) from item")).containsExactly("1");
  }

  @Test
  void aStatementWithAKeyIsSentAgainUnderThatKey() throws Exception {
    result(client.keyed("door", "k").executeUpdate(IF_ALLOWED, 1L, 1L));
    Failure failure = only();
    result(client.executeUpdate("insert into allowed values (1)"));
    failed.replay(failure.id(), "olga");
    awaitOutcome(failed, failure.id(), Failure.Outcome.DONE);
    assertThat(result(client.keyed("door", "k").executeUpdate(IF_ALLOWED, 1L, 1L))).isEqualTo(1L);
    assertThat(database.rows("select count(*) from item")).containsExactly("1");
    assertThat(database.rows("select client, idem_key, state from forebay.request"))
        .containsExactly("door,k,DONE");
  }

  @Test
  void aLineOfAStreamIsSentAgainThoughItsStreamIsBeyondIt() throws Exception {
    result(client.keyed("door", "\u00b61\u00b6\u00b6s").executeUpdate(IF_ALLOWED, 1L, 1L));
    result(client.keyed("door", "\u00b62\u00b61\u00b6s").executeUpdate("select 1", 1L));
    Failure failure =
        await()
            .until(() -> failed.list(null, null, 10).failures(), found -> found.size() == 2)
            .getLast();
    result(client.executeUpdate("insert into allowed values (1)"));
    failed.replay(failure.id(), "olga");
    awaitOutcome(failed, failure.id(), Failure.Outcome.DONE);
    assertThatThrownBy(() -> failed.replay(failure.id(), "olga"))
        .isInstanceOf(DecisionRefused.class);
    assertThat(database.rows("select count(*) from item")).containsExactly("1");
    assertThat(database.rows("select line, done, failed from forebay.stream"))
        .containsExactly("2,0,2");
  }

  @Test
  void aPageSendsAllButTheOneThatMustNotBeSent() throws Exception {
    for (long i = 0; i < 3; i++) {
      result(client.executeUpdate(IF_ALLOWED, i, i));
    }
    List<FailureId> ids = all().stream().map(it -> FailureId.of(it.id())).toList();
    failed.decide(ids.get(1).text(), Failure.State.DISCARDED, "olga", "a test message");
    result(client.executeUpdate("insert into allowed values (0), (1), (2)"));

    List<ServiceFailures.Replayed> tried =
        new GatewayFailures(service).replay(ids, _ -> true, "olga");
    assertThat(tried).extracting(ServiceFailures.Replayed::id).containsExactlyElementsOf(ids);
    assertThat(tried.get(1).failure()).isInstanceOf(DecisionRefused.class);
    for (int sent : List.of(0, 2)) {
      assertThat(tried.get(sent).failure()).isNull();
      Failure.Replay replay =
          awaitOutcome(failed, ids.get(sent).text(), Failure.Outcome.DONE).replay();
      assertThat(replay.messageId()).isEqualTo(tried.get(sent).as());
    }
    assertThat(database.rows("select count(*) from item")).containsExactly("2");
  }

  /** A key that the sender did not choose is not stored. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCrashBetweenTheAppendAndTheMarkChangesNothing(boolean hasGeneratedKey) throws Exception {
    result(
        hasGeneratedKey
            ? client.keyed("door", GeneratedKey.next()).executeUpdate(IF_ALLOWED, 1L, 1L)
            : client.executeUpdate(IF_ALLOWED, 1L, 1L));
    Failure failure = only();
    result(client.executeUpdate("insert into allowed values (1)"));
    FailureId place = FailureId.of(failure.id());
    try (Writer<JDBCStatement> writer =
        service.statements().writer(service.in(), failure.partition())) {
      writer
          .keyed(ReplayKey.CLIENT, place.text())
          .repeat(ByteBuffer.wrap(payload(failure))); // and the process dies
    }
    failed.replay(failure.id(), "olga");
    awaitOutcome(failed, failure.id(), Failure.Outcome.DONE);
    assertThat(service.drain(Duration.ofSeconds(20))).isTrue();
    assertThat(database.rows("select count(*) from item")).containsExactly("1");
  }

  @Test
  void aLineThatCannotBeDecodedCountsAsPerformed() throws Exception {
    result(line("\u00b61\u00b6\u00b6s").executeUpdate(TEA, 1L));
    try (Writer<Unknown> writer = Protocol.of(Unknown.class).writer(service.in())) {
      writer.keyed("door", "\u00b62\u00b61\u00b6s").partitionedBy("s").calls().unknown(2);
    }
    assertThat(result(line("\u00b63\u00b62\u00b6s").executeUpdate(TEA, 3L))).isEqualTo(1L);
    assertThat(database.rows("select line, done, failed from forebay.stream"))
        .containsExactly("3,2,1");
  }

  @Test
  void anEmptyKeyOfAForeignProgramFailsItsStatementOnly() throws Exception {
    try (Appender appender = service.in().appender()) {
      appender.append(0, ByteBuffer.wrap(HexFormat.of().parseHex(WITH_EMPTY_KEY)));
    }
    await().until(() -> !all().isEmpty());
    assertThat(only().kind()).isEqualTo("STATEMENT");
  }

  private Statements line(String key) {
    return client.keyed("door", key).partitionedBy("s");
  }

  /** A method that no gateway has. */
  interface Unknown {
    void unknown(int argument);
  }

  @Test
  void aDeadLetterIsSentOnceItCanBeUnderstood() throws Exception {
    try (Appender appender = service.in().appender()) {
      appender.append(0, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }
    Failure letter =
        await()
            .until(() -> failed.list(null, null, 10).failures(), found -> !found.isEmpty())
            .getFirst();
    assertThat(letter.kind()).isEqualTo("MALFORMED");
    assertThat(letter.messageId()).isNull();
    assertThat(letter.bytes()).isEqualTo(3);
    assertThatThrownBy(() -> failed.replay(letter.id(), "olga"))
        .isInstanceOf(DecisionRefused.class)
        .hasMessageContaining("MALFORMED");

    becomesUnderstood(letter);
    failed.replay(letter.id(), "olga");
    awaitOutcome(failed, letter.id(), Failure.Outcome.DONE);
    assertThat(database.rows("select id, name from item")).containsExactly("9,tea");
    assertThat(only().id()).isEqualTo(letter.id());
  }

  @Test
  void aDeadLetterThatIsSetAsideIsKeptUntilItIsDiscardedAndThenNeverSent() throws Exception {
    try (Appender appender = service.in().appender()) {
      appender.append(0, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }
    String id =
        await()
            .until(() -> failed.list(null, null, 10).failures(), found -> !found.isEmpty())
            .getFirst()
            .id();
    assertThat(failed.message(id).orElseThrow()).containsExactly(1, 2, 3);
    assertThat(failed.message("nobody~0~77~memory")).isEmpty();
    assertThat(failed.decide("shop~0~77~memory", Failure.State.DISCARDED, "olga", "")).isEmpty();
    assertThatThrownBy(() -> failed.decide(id, Failure.State.OPEN, "olga", ""))
        .isInstanceOf(DecisionRefused.class)
        .hasMessageContaining("it is open");

    Failure aside =
        failed.decide(id, Failure.State.SET_ASIDE, "olga", "ask the sender").orElseThrow();
    assertThat(aside.state()).isEqualTo(Failure.State.SET_ASIDE);
    assertThat(aside.decision().by()).isEqualTo("olga");
    assertThat(aside.decision().reason()).isEqualTo("ask the sender");
    assertThat(ids(Failure.State.OPEN)).isEmpty();
    assertThat(failed.groups("shop", Instant.EPOCH)).isEmpty();
    assertThat(ids(Failure.State.SET_ASIDE)).containsExactly(id);
    assertThat(failed.groups("shop", Instant.EPOCH, Failure.State.SET_ASIDE))
        .singleElement()
        .returns(1L, Failures.Group::count);
    assertThatThrownBy(() -> failed.decide(id, Failure.State.SET_ASIDE, "otto", "me too"))
        .isInstanceOf(DecisionRefused.class)
        .hasMessageContaining("set aside by olga");
    assertThat(failed.decide(id, Failure.State.OPEN, "olga", "").orElseThrow().decision()).isNull();
    failed.decide(id, Failure.State.SET_ASIDE, "olga", "later");
    forgetAll(0);
    assertThat(ids(Failure.State.SET_ASIDE)).as("it is kept").containsExactly(id);

    failed.decide(id, Failure.State.DISCARDED, "otto", "a test message");
    assertThat(ids(Failure.State.DISCARDED)).containsExactly(id);
    becomesUnderstood(failed.find(id).orElseThrow());
    assertThatThrownBy(() -> failed.replay(id, "olga"))
        .isInstanceOf(DecisionRefused.class)
        .hasMessageContaining("discarded by otto");
    assertThatThrownBy(() -> failed.decide(id, Failure.State.OPEN, "olga", ""))
        .isInstanceOf(DecisionRefused.class);
    forgetAll(0);
    assertThat(failed.find(id)).as("kept as long as results").isEmpty();
    assertThat(database.rows("select count(*) from item")).containsExactly("0");
  }

  @Test
  void aFailedStatementThatIsSetAsideIsKeptAndCanBeReplayed() throws Exception {
    result(client.executeUpdate(IF_ALLOWED, 1L, 1L));
    Failure failure = only();
    failed.decide(failure.id(), Failure.State.SET_ASIDE, "olga", "after the migration");
    forgetAll(failure.partition());
    assertThat(only().state()).isEqualTo(Failure.State.SET_ASIDE);
    result(client.executeUpdate("insert into allowed values (1)"));
    failed.replay(failure.id(), "olga");
    Failure done = awaitOutcome(failed, failure.id(), Failure.Outcome.DONE);
    assertThat(done.state()).isEqualTo(Failure.State.REPLAYED);
    assertThatThrownBy(() -> failed.decide(failure.id(), Failure.State.DISCARDED, "olga", "x"))
        .isInstanceOf(DecisionRefused.class)
        .hasMessageContaining("replayed by olga");
    forgetAll(failure.partition());
    assertThat(all()).isEmpty();
  }

  @Test
  void aStatementWhoseReplayTookEffectBeforeACrashStaysPerformedOnceWhileItIsSetAside()
      throws Exception {
    result(client.executeUpdate(IF_ALLOWED, 1L, 1L));
    Failure failure = only();
    failed.decide(failure.id(), Failure.State.SET_ASIDE, "olga", "after the migration");
    result(client.executeUpdate("insert into allowed values (1)"));
    sendAndDie(failure, payload(failure));
    forgetKeys();
    failed.replay(failure.id(), "olga");
    awaitOutcome(failed, failure.id(), Failure.Outcome.DONE);
    assertThat(service.drain(Duration.ofSeconds(20))).isTrue();
    assertThat(database.rows("select id, name from item")).containsExactly("1,tea");
    forgetAll(0);
    forgetAll(1);
    forgetKeys();
    assertThat(database.rows("select count(*) from forebay.request")).containsExactly("0");
  }

  @Test
  void aStatementThatIsSetAsideTakesEffectOnceThoughTheOneThatItRepeatsDidLongAgo()
      throws Exception {
    result(client.executeUpdate(IF_ALLOWED, 1L, 1L));
    Failure first = only();
    failed.replay(first.id(), "olga");
    awaitOutcome(failed, first.id(), Failure.Outcome.FAILED);
    Failure second = all().getFirst();
    failed.decide(second.id(), Failure.State.SET_ASIDE, "olga", "later");
    result(client.executeUpdate("insert into allowed values (1)"));
    failed.replay(first.id(), "olga");
    awaitOutcome(failed, first.id(), Failure.Outcome.DONE);
    forgetAll(0);
    forgetAll(1);
    forgetKeys();
    assertThat(only().id()).isEqualTo(second.id());
    failed.replay(second.id(), "olga");
    awaitOutcome(failed, second.id(), Failure.Outcome.DONE);
    assertThat(service.drain(Duration.ofSeconds(20))).isTrue();
    assertThat(database.rows("select id, name from item")).containsExactly("1,tea");
  }

  @Test
  void aDeadLetterWhoseReplayTookEffectBeforeACrashStaysPerformedOnce() throws Exception {
    Failure letter = deadLetter();
    failed.decide(letter.id(), Failure.State.SET_ASIDE, "olga", "after the upgrade");
    becomesUnderstood(letter);
    sendAndDie(letter, failed.message(letter.id()).orElseThrow());
    forgetKeys();
    failed.replay(letter.id(), "olga");
    awaitOutcome(failed, letter.id(), Failure.Outcome.DONE);
    assertThat(service.drain(Duration.ofSeconds(20))).isTrue();
    assertThat(database.rows("select id, name from item")).containsExactly("9,tea");
  }

  @Test
  void aDeadLetterWhoseKeyOnlyALaterVersionCanReadIsReplayedOnceUnderThatKey() throws Exception {
    Failure letter = deadLetter();
    becomesUnderstood(letter, writer -> writer.keyed("door", "k"));
    failed.replay(letter.id(), "olga");
    awaitOutcome(failed, letter.id(), Failure.Outcome.DONE);
    forgetKeys();
    assertThatThrownBy(() -> failed.replay(letter.id(), "olga"))
        .isInstanceOf(DecisionRefused.class)
        .hasMessageContaining("took effect");
    assertThat(database.rows("select client, idem_key, state from forebay.request"))
        .containsExactly("door,k,DONE");
  }

  @Test
  void aFailedStatementIsKeptAsLongAsResultsAfterTheLastDecisionOrReplay() throws Exception {
    for (long i = 0; i < 4; i++) {
      result(client.executeUpdate(IF_ALLOWED, i, i));
    }
    List<String> ids = all().stream().map(Failure::id).toList();
    for (String id : ids.subList(0, 3)) {
      failed.decide(id, Failure.State.SET_ASIDE, "olga", "later");
    }
    try (Connection owner = database.owner().getConnection();
        Statement statement = owner.createStatement()) {
      statement.execute(
          "update forebay.failed_message set created_at = created_at - interval '5' day,"
              + " decided_at = decided_at - interval '4' day");
    }
    failed.decide(ids.get(0), Failure.State.OPEN, "olga", "");
    failed.decide(ids.get(1), Failure.State.DISCARDED, "olga", "not needed");
    failed.replay(ids.get(2), "olga");
    awaitOutcome(failed, ids.get(2), Failure.Outcome.FAILED);
    for (int partition = 0; partition < 2; partition++) {
      forget(partition, Instant.now().minusSeconds(3_600));
    }
    assertThat(all()).extracting(Failure::id).contains(ids.get(0), ids.get(1), ids.get(2));
    assertThat(failed.find(ids.get(3))).as("nobody decided about it").isEmpty();
    assertThat(failed.find(ids.get(0)).orElseThrow().state()).isEqualTo(Failure.State.OPEN);
    forgetAll(0);
    forgetAll(1);
    assertThat(all()).isEmpty();
  }

  @Test
  void aDeadLetterIsKeptAfterItIsReopenedAndADiscardedOneAsLongAsResults() throws Exception {
    Failure letter = deadLetter();
    failed.decide(letter.id(), Failure.State.SET_ASIDE, "olga", "later");
    try (Connection owner = database.owner().getConnection();
        Statement statement = owner.createStatement()) {
      statement.execute(
          "update forebay.failed_message set created_at = created_at - interval '5' day,"
              + " decided_at = decided_at - interval '4' day");
    }
    failed.decide(letter.id(), Failure.State.OPEN, "olga", "");
    forgetAll(letter.partition());
    assertThat(ids(Failure.State.OPEN)).containsExactly(letter.id());
    failed.decide(letter.id(), Failure.State.DISCARDED, "olga", "not needed");
    forget(letter.partition(), Instant.now().minusSeconds(3_600));
    assertThat(ids(Failure.State.DISCARDED)).containsExactly(letter.id());
    forgetAll(letter.partition());
    assertThat(failed.find(letter.id())).isEmpty();
  }

  @Test
  void aGroupHasTheFiguresOfItsStateHoweverManyNewerOnesAreInAnother() throws Exception {
    result(client.executeUpdate(IF_ALLOWED, 1L, 1L));
    Failure aside = only();
    failed.decide(aside.id(), Failure.State.SET_ASIDE, "olga", "later");
    result(client.executeUpdate(IF_ALLOWED, 2L, 2L));
    Failure discarded = all().getFirst();
    failed.decide(discarded.id(), Failure.State.DISCARDED, "olga", "not needed");
    assertThat(failed.groups("shop", Instant.EPOCH, Failure.State.SET_ASIDE))
        .singleElement()
        .returns(1L, Failures.Group::count)
        .returns(aside.at(), Failures.Group::first)
        .returns(aside.at(), Failures.Group::last);

    copyToOpen(aside, Failures.MAX_COUNTED);
    assertThat(failed.groups("shop", Instant.EPOCH, Failure.State.SET_ASIDE))
        .singleElement()
        .returns(1L, Failures.Group::count)
        .returns(false, Failures.Group::capped);
    assertThat(failed.count("shop", Failure.State.SET_ASIDE, 10)).isEqualTo(1);
    assertThat(failed.count("shop", Failure.State.DISCARDED, 10)).isEqualTo(1);
    assertThat(failed.count("shop", Failure.State.REPLAYED, 10)).isZero();
    assertThat(failed.count("shop", Failure.State.OPEN, 10)).isEqualTo(10);
    assertThat(failed.count("shop", Failure.State.OPEN, 2 * Failures.MAX_COUNTED))
        .isEqualTo(Failures.MAX_COUNTED);
    assertThat(failed.count("other", Failure.State.OPEN, 10)).isZero();
    assertThat(failed.groups("shop", Instant.EPOCH))
        .singleElement()
        .returns((long) Failures.MAX_COUNTED, Failures.Group::count)
        .returns(true, Failures.Group::capped);

    List<String> several = new ArrayList<>();
    for (int i = 0; i < 700; i++) {
      String queue = service.in().identity();
      several.add(new FailureId("shop", aside.partition(), 1_000_000 + i, queue).text());
    }
    several.addAll(List.of("shop~0~77~memory", "nobody~0~77~memory", discarded.id()));
    assertThat(failed.decideAll(several, Failure.State.DISCARDED, "olga", "a test"))
        .as("without those that are gone, and one that was decided")
        .isEqualTo(700);
    assertThat(failed.find(several.getFirst()).orElseThrow().decision().reason())
        .isEqualTo("a test");
    assertThat(failed.decideAll(several, Failure.State.OPEN, "olga", "")).isZero();

    try (Connection owner = database.owner().getConnection();
        Statement statement = owner.createStatement()) {
      statement.execute(
          "update forebay.failed_message set decision = 'SET_ASIDE', decided_by = 'olga',"
              + " decided_at = created_at, decision_reason = 'r' where detail = 'another'");
    }
    result(client.executeUpdate(IF_ALLOWED, 3L, 3L));
    String open =
        failed
            .page(new Failures.Filter("shop", null, Failure.State.OPEN), null, 1)
            .failures()
            .getFirst()
            .id();
    assertThatThrownBy(() -> failed.decide(open, Failure.State.SET_ASIDE, "olga", "later"))
        .isInstanceOf(DecisionRefused.class)
        .hasMessageContaining("limit=10,000");
    failed.decide(open, Failure.State.DISCARDED, "olga", "not needed");
  }

  /** Newer failures like this one, about which nobody has decided. */
  private void copyToOpen(Failure failure, int rows) throws SQLException {
    try (Connection owner = database.owner().getConnection();
        PreparedStatement insert =
            owner.prepareStatement(
                "insert into forebay.failed_message (queue_id, partition_id, position, service,"
                    + " message_id, kind, sql_state, detail, payload, created_at, replay_key)"
                    + " select queue_id, partition_id, ?, service, message_id, kind, sql_state,"
                    + " 'another', payload, created_at + interval '1' second, replay_key"
                    + " from forebay.failed_message"
                    + " where position = ? and partition_id = ? and queue_id = ?")) {
      owner.setAutoCommit(false);
      for (int i = 0; i < rows; i++) {
        insert.setLong(1, 1_000_000 + i);
        insert.setLong(2, failure.position());
        insert.setInt(3, failure.partition());
        insert.setString(4, service.in().identity());
        insert.addBatch();
      }
      insert.executeBatch();
      owner.commit();
    }
  }

  private Failure deadLetter() {
    try (Appender appender = service.in().appender()) {
      appender.append(0, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }
    return await()
        .until(() -> failed.list(null, null, 10).failures(), found -> !found.isEmpty())
        .getFirst();
  }

  /** A replay whose process dies before it is recorded, but whose message is performed. */
  private void sendAndDie(Failure failure, byte[] message) throws Exception {
    try (Writer<JDBCStatement> writer =
        service.statements().writer(service.in(), failure.partition())) {
      writer.keyed(ReplayKey.CLIENT, failure.id()).repeat(ByteBuffer.wrap(message));
    }
    await().until(() -> database.rows("select count(*) from item").contains("1"));
  }

  /** Deletes the idempotency keys that may be deleted, as if much time had passed. */
  private void forgetKeys() throws SQLException {
    try (DatabaseSession session =
        new DatabaseSession(
            database.gateway().getConnection(), GatewaySettings.DEFAULT_STATEMENT_TIMEOUT)) {
      for (int partition = 0; partition < 2; partition++) {
        new IdempotencyKeys("shop", partition).forget(session, Instant.now().plusSeconds(60));
      }
      session.commit();
    }
  }

  private List<String> ids(Failure.State state) {
    return failed.page(new Failures.Filter("shop", null, state), null, 10).failures().stream()
        .map(Failure::id)
        .toList();
  }

  /** Deletes what is not to be kept, as if much time had passed. */
  private void forgetAll(int partition) throws Exception {
    forget(partition, Instant.now().plusSeconds(60));
  }

  private void forget(int partition, Instant time) throws Exception {
    try (FailureLog log = new FailureLog("shop", NO_CATALOGUE, service.in(), partition);
        DatabaseSession session =
            new DatabaseSession(
                database.gateway().getConnection(), GatewaySettings.DEFAULT_STATEMENT_TIMEOUT)) {
      log.forget(session, time);
      session.commit();
    }
  }

  /** As after an upgrade: the bytes that are kept are now those of a statement. */
  private void becomesUnderstood(Failure letter) throws Exception {
    becomesUnderstood(letter, writer -> writer);
  }

  private void becomesUnderstood(Failure letter, UnaryOperator<Writer<JDBCStatement>> as)
      throws Exception {
    byte[] bytes;
    try (MessageQueue other = backend.open("other", 1);
        Writer<JDBCStatement> writer = service.statements().writer(other)) {
      as.apply(writer).calls().executeUpdate(INSERT, 9L, "tea");
      bytes = messages(other).values().iterator().next();
    }
    try (Connection connection = database.owner().getConnection();
        PreparedStatement update =
            connection.prepareStatement(
                "update forebay.failed_message set payload = ? where position = ?")) {
      update.setBytes(1, bytes);
      update.setLong(2, letter.position());
      update.executeUpdate();
    }
  }

  @Test
  void isForgottenWhenItsTimeIsOverButADeadLetterOnlyWhenItTookEffect() throws Exception {
    result(client.executeUpdate(INSERT, 1L, null));
    int partition = only().partition();
    try (Appender appender = service.in().appender()) {
      appender.append(partition, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }
    await().until(() -> all().size() == 2);
    try (FailureLog log = new FailureLog("shop", NO_CATALOGUE, service.in(), partition);
        DatabaseSession session =
            new DatabaseSession(
                database.gateway().getConnection(), GatewaySettings.DEFAULT_STATEMENT_TIMEOUT)) {
      log.forget(session, Instant.now().minusSeconds(3_600));
      session.commit();
      assertThat(all()).hasSize(2);
      log.forget(session, Instant.now().plusSeconds(60));
      session.commit();
    }
    Failure letter = only();
    assertThat(letter.kind()).isEqualTo("MALFORMED");
    becomesUnderstood(letter);
    failed.replay(letter.id(), "olga");
    awaitOutcome(failed, letter.id(), Failure.Outcome.DONE);
    try (FailureLog log = new FailureLog("shop", NO_CATALOGUE, service.in(), letter.partition());
        DatabaseSession session =
            new DatabaseSession(
                database.gateway().getConnection(), GatewaySettings.DEFAULT_STATEMENT_TIMEOUT)) {
      log.forget(session, Instant.now().plusSeconds(60));
      session.commit();
      assertThat(failed.list(null, null, 10).failures()).isEmpty();
    }
  }

  @Test
  void saysWhatIsWrongWithAnIdAPlaceOrALimit() {
    assertThat(failed.find("shop~0~77~memory")).isEmpty();
    assertThat(failed.replay("nobody~0~77~memory", "olga")).isEmpty();
    assertThatThrownBy(() -> failed.find("77")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> failed.list(null, "77", 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> failed.list(null, null, 501))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 500");
  }

  @Test
  void noLineOfTheLogTellsAValue() throws Exception {
    List<String> lines = new ArrayList<>();
    try (CapturedLog _ = CapturedLog.of("io.forebay", lines)) {
      result(client.executeUpdate(INSERT, 1L, null));
      result(client.executeUpdate(INSERT, 2L, "SECRET".repeat(10)));
      result(client.executeUpdate("insert into item values ('SECRET', 'x')"));
      result(client.executeUpdate("SECRET statement"));
      result(client.keyed("SECRET client", "SECRET key").executeUpdate(INSERT, 3L, null));
      try (Appender appender = service.in().appender()) {
        appender.append(0, ByteBuffer.wrap("SECRET message".getBytes(UTF_8)));
      }
      Failure letter =
          await()
              .until(
                  () -> all().stream().filter(it -> it.sqlState() == null).findFirst(),
                  Optional::isPresent)
              .orElseThrow();
      assertThatThrownBy(() -> failed.replay(letter.id(), "olga"))
          .isInstanceOf(DecisionRefused.class);
      for (Failure failure : all()) {
        failed.values(failure.id());
        if (failure.sqlState() != null) {
          failed.replay(failure.id(), "olga");
        }
      }
      pause(service, "for the test");
      assertThatThrownBy(
              () -> {
                try (StatementClient small = service.createClient(1)) {
                  small.executeUpdate(INSERT, 4L, "SECRET");
                  small.executeUpdate(INSERT, 5L, "SECRET");
                }
              })
          .isInstanceOf(QueueRefused.class);
      moreThatIsLogged();
    }
    assertThat(lines).isNotEmpty().noneMatch(line -> line.contains("SECRET"));
  }

  /** What only one kind of database can be brought to. */
  void moreThatIsLogged() throws Exception {}
}
