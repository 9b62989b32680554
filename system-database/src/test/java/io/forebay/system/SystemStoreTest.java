/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.forebay.database.EmbeddedDatabase;
import io.forebay.database.TestPostgres;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.DesiredState;
import io.forebay.operations.Instances;
import io.forebay.operations.callers.RateLimit;
import io.forebay.operations.failures.DecisionRefused;
import io.forebay.service.progress.Unavailable;
import io.forebay.system.callers.RateLimitTable;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Tokens, users, sessions and audit on both databases, with the minimal role. */
class SystemStoreTest {

  private static final Instant END = Instant.parse("2100-01-01T00:00:00Z");
  private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
  private static final Actor ANNA = new Actor(Actor.Kind.APPLICATION, "anna", "admin", "127.0.0.1");

  @TempDir Path directory;
  private final List<AutoCloseable> open = new ArrayList<>();
  private Instant now = NOON;

  /** Of the database of the test, as somebody who bypasses Forebay. */
  private DataSource owner;

  private SystemDatabase database(String kind) throws SQLException {
    SystemDatabase database;
    if (kind.equals("hsqldb")) {
      EmbeddedDatabase embedded = EmbeddedDatabase.open(directory.resolve("database"));
      open.add(embedded);
      owner = embedded.owner();
      database = SystemDatabases.of(embedded.gateway(), embedded.owner());
    } else {
      TestPostgres postgres = TestPostgres.shared();
      open.add(postgres);
      owner = postgres.owner();
      database = SystemDatabases.of(postgres.gateway(), postgres.owner());
    }
    open.addFirst(database);
    return database;
  }

  @AfterEach
  void closeDatabases() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private static StoredToken token(String name, String role, String... statements) {
    String hash = "%064x".formatted(name.hashCode() & 0xffffffffL);
    return new StoredToken(name, hash, role, List.of(statements), "anna", NOON, END);
  }

  @ParameterizedTest
  @ValueSource(strings = {"hsqldb", "postgresql"})
  void instancesThatStartTogetherShareOneKeyOfSenders(String kind) throws Exception {
    SystemDatabase database = database(kind);
    List<Callable<List<String>>> instances = new ArrayList<>();
    for (int instance = 0; instance < 4; instance++) {
      instances.add(() -> new SenderKeyTable(() -> database).keys());
    }
    Set<List<String>> keys = new HashSet<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(instances.size())) {
      for (Future<List<String>> each : threads.invokeAll(instances)) {
        keys.add(each.get());
      }
    }
    assertThat(keys).hasSize(1);
    assertThat(keys.iterator().next()).singleElement().asString().hasSizeGreaterThan(40);
    SenderKeyTable running = new SenderKeyTable(() -> database);
    assertThat(running.keys()).isIn(keys);
    TestPostgres.execute(owner, "delete from forebay.sender_key"); // as by a restore
    assertThat(new SenderKeyTable(() -> database).keys()).isNotEqualTo(running.keys());
  }

  @ParameterizedTest
  @ValueSource(strings = {"hsqldb", "postgresql"})
  void theLastLimitOfACallerHolds(String kind) throws SQLException {
    RateLimitTable table = new RateLimitTable(database(kind));
    RateLimit first = new RateLimit("shop", 20, "an import", "anna", NOON, NOON.plusSeconds(60));
    table.put(first);
    assertThat(table.all()).containsExactly(first);
    Instant later = NOON.plusSeconds(60).plusNanos(1_000);
    RateLimit other =
        new RateLimit("shop", 1_000_000, "less", "ben", later, later.plusSeconds(3_600));
    table.put(other);
    assertThat(table.all()).containsExactly(other);
    table.remove("shop");
    table.remove("shop");
    assertThat(table.all()).isEmpty();
    table.put(other);
    Instant muchLater = other.until().plus(Duration.ofDays(2));
    RateLimit another = new RateLimit("web", 5, "", "anna", muchLater, muchLater.plusSeconds(1));
    table.put(another);
    assertThat(table.all()).as("one that ended long ago is gone").containsExactly(another);
  }

  @ParameterizedTest
  @ValueSource(strings = {"hsqldb", "postgresql"})
  void storesTokensUnchanged(String kind) throws SQLException {
    TokenStore store = new TokenStore(database(kind));
    StoredToken shop = token("shop", "none", "orders.*", "customers.list");
    StoredToken viewer =
        new StoredToken(
            "grafana",
            "ab".repeat(32),
            "viewer",
            List.of(),
            "anna",
            NOON,
            NOON.plusSeconds(86_400));
    assertThat(store.add(shop)).isTrue();
    assertThat(store.add(viewer)).isTrue();
    assertThat(store.add(token("shop", "admin"))).as("the name is taken").isFalse();
    assertThat(store.all()).containsExactly(viewer, shop);
    assertThat(store.remove("shop")).isEqualTo(TokenStore.Removal.REMOVED);
    assertThat(store.remove("shop")).isEqualTo(TokenStore.Removal.UNKNOWN);
    assertThat(store.all()).containsExactly(viewer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"hsqldb", "postgresql"})
  void theLastAdminTokenCannotBeDeleted(String kind) throws SQLException {
    TokenStore store = new TokenStore(database(kind));
    store.add(token("a", "admin"));
    store.add(token("v", "viewer"));
    assertThat(store.remove("a")).isEqualTo(TokenStore.Removal.LAST_ADMIN);
    store.add(token("b", "admin"));
    assertThat(store.remove("a")).isEqualTo(TokenStore.Removal.REMOVED);
    assertThat(store.remove("b")).isEqualTo(TokenStore.Removal.LAST_ADMIN);
    store.add(
        new StoredToken(
            "ended", "cd".repeat(32), "admin", List.of(), "anna", NOON, NOON.plusSeconds(3_600)));
    assertThat(store.remove("b"))
        .as("the other one ended")
        .isEqualTo(TokenStore.Removal.LAST_ADMIN);
    assertThat(store.remove("ended")).isEqualTo(TokenStore.Removal.REMOVED);
    Instant soon = Instant.now().plusSeconds(3_600);
    store.add(new StoredToken("z", "cd".repeat(32), "admin", List.of(), "anna", NOON, soon));
    assertThat(store.remove("b")).as("it lasts longer").isEqualTo(TokenStore.Removal.LAST_ADMIN);
    assertThat(store.remove("z")).isEqualTo(TokenStore.Removal.REMOVED);
    assertThat(store.all()).extracting(StoredToken::name).containsExactly("b", "v");
  }

  private static StoredUser user(String name, String role) {
    return new StoredUser(name, "{hash of " + name + "}", role, true, "anna", NOON, List.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {"hsqldb", "postgresql"})
  void aPasswordIsChangedOnlyWithTheCurrentOne(String kind) throws SQLException {
    UserStore store = new UserStore(database(kind));
    StoredUser otto = user("otto", "operator");
    assertThat(store.add(otto)).isTrue();
    assertThat(store.add(user("otto", "admin"))).as("the name is taken").isFalse();
    assertThat(store.find("otto")).contains(otto);
    assertThat(store.find("Otto")).isEmpty();
    assertThat(store.changePassword("otto", "another", "mine")).isFalse();
    assertThat(store.all()).containsExactly(otto);
    assertThat(store.changePassword("otto", otto.password(), "mine")).isTrue();
    assertThat(store.all())
        .containsExactly(
            new StoredUser("otto", "mine", "operator", false, "anna", NOON, List.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"hsqldb", "postgresql"})
  void aLogoutIsCountedAndTheLastAdministratorCannotBeDeleted(String kind) throws SQLException {
    UserStore users = new UserStore(database(kind));
    users.add(user("a", "admin"));
    users.add(user("v", "viewer"));
    users.logOut("v");
    assertThat(users.find("v")).map(StoredUser::logouts).contains(1);
    assertThat(users.find("a")).map(StoredUser::logouts).contains(0);
    assertThat(users.remove("a")).isEqualTo(TokenStore.Removal.LAST_ADMIN);
    assertThat(users.remove("v")).isEqualTo(TokenStore.Removal.REMOVED);
    assertThat(users.remove("v")).isEqualTo(TokenStore.Removal.UNKNOWN);
    users.add(user("b", "admin"));
    assertThat(users.remove("a")).isEqualTo(TokenStore.Removal.REMOVED);
    users.changePassword("b", "{hash of b}", "{hash of another}");
    users.add(user("c", "admin"));
    assertThat(users.remove("b"))
        .as("c may never have got its password")
        .isEqualTo(TokenStore.Removal.LAST_ADMIN);
    users.changePassword("c", "{hash of c}", "{hash of another}");
    assertThat(users.remove("b")).isEqualTo(TokenStore.Removal.REMOVED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"hsqldb", "postgresql"})
  void theFirstAdministratorIsKeptUntilAnotherOneSetAPassword(String kind) throws SQLException {
    UserStore users = new UserStore(database(kind));
    users.add(new StoredUser("admin", "{hash of admin}", "admin", true, "system", NOON, List.of()));
    users.add(user("b", "admin"));
    assertThat(users.remove("admin"))
        .as("the first password of b ends")
        .isEqualTo(TokenStore.Removal.LAST_ADMIN);
    assertThat(users.remove("b")).isEqualTo(TokenStore.Removal.REMOVED);
    users.add(user("b", "admin"));
    users.changePassword("b", "{hash of b}", "{hash of another}");
    assertThat(users.remove("admin")).isEqualTo(TokenStore.Removal.REMOVED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"hsqldb", "postgresql"})
  void instancesSeeEachOtherUntilTheyAreDeleted(String kind) throws Exception {
    SystemDatabase database = database(kind);
    InstanceTable one = new InstanceTable(database);
    InstanceTable other = new InstanceTable(database);
    assertThat(one.seenWithin(Duration.ofMinutes(1))).isEmpty();
    one.tell("one", "{\"seq\":1}");
    one.tell("one", "{\"seq\":2}");
    other.tell("other", "x".repeat(InstanceTable.MAX_SUMMARY));
    assertThat(one.seenWithin(Duration.ofMinutes(1)))
        .extracting(Instances.Seen::instance, it -> it.summary().length())
        .containsExactly(tuple("one", 9), tuple("other", InstanceTable.MAX_SUMMARY));
    assertThat(one.seenWithin(Duration.ofMinutes(1)).getFirst().summary()).endsWith("2}");
    assertThat(one.seenWithin(Duration.ofMinutes(1)))
        .allSatisfy(it -> assertThat(it.age()).isBetween(Duration.ZERO, Duration.ofSeconds(30)));
    assertThatThrownBy(() -> one.tell("one", "x".repeat(InstanceTable.MAX_SUMMARY + 1)))
        .hasMessageContaining("limit=8192");
    one.leave("one");
    assertThat(other.seenWithin(Duration.ofMinutes(1)))
        .extracting(Instances.Seen::instance)
        .containsExactly("other");
    one.tell("one", "{}");
    assertThat(one.forget(Duration.ofDays(1))).isZero();
    assertThat(one.forget(Duration.ofMinutes(-1))).isEqualTo(2);
    assertThat(one.seenWithin(Duration.ofMinutes(1))).isEmpty();
  }

  /** Two stores act as two instances: their synchronized methods do not exclude each other. */
  @Test
  void concurrentDeletionsLeaveAnAdministrator() throws Exception {
    try (TestPostgres postgres = TestPostgres.shared();
        SystemDatabase first = SystemDatabases.of(postgres.gateway(), postgres.owner());
        SystemDatabase second = SystemDatabases.of(postgres.gateway(), postgres.owner());
        ExecutorService threads = Executors.newFixedThreadPool(2)) {
      TokenStore one = new TokenStore(first);
      TokenStore other = new TokenStore(second);
      for (int round = 0; round < 30; round++) {
        String a = "a" + round;
        String b = "b" + round;
        one.add(token(a, "admin"));
        one.add(token(b, "admin"));
        one.all().stream()
            .map(StoredToken::name)
            .filter(name -> !name.equals(a) && !name.equals(b))
            .forEach(one::remove);
        List<Future<TokenStore.Removal>> removals =
            List.of(threads.submit(tryToRemove(one, a)), threads.submit(tryToRemove(other, b)));
        for (Future<TokenStore.Removal> removal : removals) {
          removal.get();
        }
        assertThat(one.all()).as("round %d", round).isNotEmpty();
      }
    }
  }

  private static Callable<TokenStore.Removal> tryToRemove(TokenStore store, String name) {
    return () -> {
      try {
        return store.remove(name);
      } catch (Unavailable _) {
        return TokenStore.Removal.UNKNOWN;
      }
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"hsqldb", "postgresql"})
  void theNewestAuditEntriesAreReadFirst(String kind) throws SQLException {
    try (AuditTable audit = new AuditTable(database(kind), Duration.ofDays(1), () -> now)) {
      for (int i = 0; i < 5; i++) {
        now = NOON.plusSeconds(i);
        audit.record(Audit.Entry.allowed(ANNA, "token.create", "t" + i, "for the shop"));
      }
      List<Audit.Recorded> newest = audit.before(Long.MAX_VALUE, 2);
      assertThat(newest).extracting(it -> it.entry().target()).containsExactly("t4", "t3");
      assertThat(newest.getFirst().at()).isEqualTo(NOON.plusSeconds(4));
      assertThat(newest.getFirst().entry())
          .isEqualTo(Audit.Entry.allowed(ANNA, "token.create", "t4", "for the shop"));
      assertThat(audit.before(newest.getLast().id(), 10))
          .extracting(it -> it.entry().target())
          .containsExactly("t2", "t1", "t0");
    }
  }

  @Test
  void theAuditAndCommandsDoNotWaitForOtherQueries() throws Exception {
    SystemDatabase database = database("hsqldb");
    DesiredStateTable states = new DesiredStateTable(database);
    TokenStore tokens = new TokenStore(database);
    CountDownLatch holding = new CountDownLatch(4);
    CountDownLatch end = new CountDownLatch(1);
    try (AuditTable audit = new AuditTable(database, Duration.ofDays(1), () -> now);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      audit.record(Audit.Entry.allowed(ANNA, "service.pause", "before", ""));
      for (int i = 0; i < 4; i++) {
        threads.submit(() ->
            database.inTransaction(_ -> {
              holding.countDown();
              return awaited(end);
            }));
      }
      holding.await();
      try {
        assertThatThrownBy(() -> audit.before(Long.MAX_VALUE, 1)).isInstanceOf(Unavailable.class);
        audit.record(Audit.Entry.allowed(ANNA, "service.pause", "orders", ""));
        states.keep(new DesiredState("orders", true, "slow", "anna", NOON));
        assertThat(tokens.add(token("shop", "none"))).isTrue();
        assertThat(tokens.remove("shop")).isEqualTo(TokenStore.Removal.REMOVED);
      } finally {
        end.countDown();
      }
      assertThat(audit.before(Long.MAX_VALUE, 1).getFirst().entry().target()).isEqualTo("orders");
      assertThat(states.all()).extracting(DesiredState::service).containsExactly("orders");
    }
  }

  private static boolean awaited(CountDownLatch end) {
    try {
      return end.await(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"hsqldb", "postgresql"})
  void commandsAreReadWithoutLoginsLooksAndRefusals(String kind) throws SQLException {
    try (AuditTable audit = new AuditTable(database(kind), Duration.ofDays(1), () -> now)) {
      audit.record(Audit.Entry.allowed(ANNA, "service.pause", "shop", "migration"));
      audit.record(
          Audit.Entry.allowed(ANNA, "job.start", "prices", "").withOutcome("failed: it runs"));
      for (String action : List.of("session.login", "failed.values", "user.password")) {
        audit.record(Audit.Entry.allowed(ANNA, action, "", ""));
      }
      audit.record(new Audit.Entry(ANNA, "http.GET", "/api/v1/tokens", "", "refused (403)"));
      audit.record(new Audit.Entry(ANNA, "failures.replay.result", "failed", "", "done: 1 of 1"));
      assertThat(audit.before(Long.MAX_VALUE, 3, new Audit.Filter(null, null, true)))
          .extracting(it -> it.entry().action())
          .containsExactly("failures.replay.result", "job.start", "service.pause");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"hsqldb", "postgresql"})
  void anAuditEntryIsTruncatedToOneLine(String kind) throws SQLException {
    try (AuditTable audit = new AuditTable(database(kind), Duration.ofDays(1), () -> now)) {
      Actor actor = new Actor(Actor.Kind.APPLICATION, "x".repeat(300), "admin", "::1");
      audit.record(
          new Audit.Entry(
              actor,
              "a\r\nb",
              "t\u0000\u001b[31m" + "y".repeat(2_100),
              "\u0085|\u009b|\u2028|\u2029|\u202e|\u2066|\u200f|\u00ad|\ufeff|ä \u00a0",
              "allowed"));
      Audit.Entry entry = audit.before(Long.MAX_VALUE, 1).getFirst().entry();
      assertThat(entry.action()).isEqualTo("a??b");
      assertThat(entry.reason())
          .as("C1 controls, line separators and controls of direction")
          .isEqualTo("?|?|?|?|?|?|?|?|?|ä \u00a0");
      assertThat(entry.target()).startsWith("t??[31myyy").hasSize(2_000).endsWith("…");
      assertThat(entry.actor().name()).hasSize(255);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"hsqldb", "postgresql"})
  void expiredAuditEntriesAreDeleted(String kind) throws SQLException {
    try (AuditTable audit = new AuditTable(database(kind), Duration.ofDays(1), () -> now)) {
      for (int day = 0; day < 4; day++) {
        now = NOON.plus(Duration.ofDays(day));
        audit.record(Audit.Entry.allowed(ANNA, "token.create", "day " + day, ""));
      }
      assertThat(audit.deleteBefore(NOON)).isZero();
      assertThat(audit.deleteBefore(NOON.plus(Duration.ofDays(2)))).isEqualTo(2);
      assertThat(audit.before(Long.MAX_VALUE, 10))
          .extracting(it -> it.entry().target())
          .containsExactly("day 3", "day 2");
      assertThat(audit.deleteBefore(NOON.plus(Duration.ofDays(30)))).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"hsqldb", "postgresql"})
  void anEntryHasTheTimeTheTextsAndTheChangeThatItWasWrittenWith(String kind) throws SQLException {
    now = NOON.plusNanos(123_456_789);
    try (AuditTable audit = new AuditTable(database(kind), Duration.ofDays(1), () -> now)) {
      Audit.Change change =
          new Audit.Change(
              List.of(
                  new Audit.Field("state", "running", "paused"),
                  new Audit.Field("reason", "", "a\tb\nc" + "x".repeat(2_000))));
      Audit.Entry entry =
          Audit.Entry.allowed(ANNA, "service.pause", "\ud83d\ude00 Ω '", "slow").changing(change);
      audit.record(entry);
      Audit.Recorded read = audit.before(Long.MAX_VALUE, 1).getFirst();
      assertThat(read.entry()).isEqualTo(entry);
      assertThat(read.at()).isEqualTo(NOON.plusNanos(123_456_000));
      assertThat(change.fields().getLast().after())
          .as("one line, cut")
          .startsWith("a?b?cxxx")
          .hasSize(1_000);
      audit.record(Audit.Entry.allowed(ANNA, "service.resume", "shop", ""));
      assertThat(audit.before(Long.MAX_VALUE, 2))
          .extracting(Audit.Recorded::id)
          .containsExactly(read.id() + 1, read.id());
    }
  }

  /**
   * Of the request and of the database an exception may have values, which stay out of the audit.
   */
  @Test
  void onlyTheMessageOfARefusalIsInTheAudit() throws SQLException {
    Audit.Entry entry = Audit.Entry.allowed(ANNA, "failed.values", "shop~0~7~q", "");
    try (AuditTable audit = new AuditTable(database("hsqldb"), Duration.ofDays(1), () -> now)) {
      for (RuntimeException each :
          List.of(
              new DecisionRefused("it was set aside"), new IllegalStateException("name=Olga"))) {
        assertThatThrownBy(() ->
                audit.perform(
                    entry,
                    () -> {
                      throw each;
                    }))
            .isSameAs(each);
      }
      assertThat(audit.before(Long.MAX_VALUE, 10))
          .extracting(it -> it.entry().outcome())
          .containsExactly(
              "failed: java.lang.IllegalStateException",
              "allowed",
              "failed: it was set aside",
              "allowed");
    }
  }

  private static void record(AuditTable audit, String target) {
    audit.record(Audit.Entry.allowed(ANNA, "token.create", target, ""));
  }

  /** A database that hangs delays each command for a few seconds, however many there are. */
  @Test
  void commandsDoNotQueueForAnAuditThatHangs() throws Exception {
    SystemDatabase database = database("hsqldb");
    CountDownLatch holding = new CountDownLatch(2);
    CountDownLatch end = new CountDownLatch(1);
    try (AuditTable audit = new AuditTable(database, Duration.ofDays(1), () -> now);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      record(audit, "before");
      for (int i = 0; i < 2; i++) {
        threads.submit(() ->
            database.commandInTransaction(_ -> {
              holding.countDown();
              return awaited(end);
            }));
      }
      holding.await();
      ExecutorCompletionService<Void> commands = new ExecutorCompletionService<>(threads);
      for (int i = 0; i < 6; i++) {
        String target = "t" + i;
        commands.submit(() -> record(audit, target), null);
      }
      try {
        for (int i = 0; i < 6; i++) {
          Future<Void> refused = commands.poll(10, TimeUnit.SECONDS);
          assertThat(refused).isNotNull();
          assertThat(refused.exceptionNow()).isInstanceOf(Unavailable.class);
        }
      } finally {
        end.countDown();
      }
    }
  }

  @Test
  void eachAuditEntryIsOneLineOfItsOwnLogger() throws SQLException {
    Logger logger = (Logger) LoggerFactory.getLogger("io.forebay.audit");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    logger.setLevel(Level.INFO);
    now = NOON.plusSeconds(5).plusNanos(123_456_789);
    try (AuditTable audit = new AuditTable(database("hsqldb"), Duration.ofDays(1), () -> now)) {
      record(audit, "t1");
      record(audit, "t2");
      assertThat(lines.list).hasSize(2);
      assertThat(lines.list.getLast().getFormattedMessage())
          .matches("Audit \\d+: application anna \\(admin, 127.0.0.1\\) token.create t2: allowed");
      assertThat(
              lines.list.getLast().getKeyValuePairs().stream()
                  .map(pair -> pair.key + "=" + pair.value))
          .containsExactly(
              "audit.number=" + audit.before(Long.MAX_VALUE, 1).getFirst().id(),
              "audit.at=2026-11-20T12:00:05.123456Z",
              "audit.kind=application",
              "audit.actor=anna",
              "audit.role=admin",
              "audit.address=127.0.0.1",
              "audit.action=token.create",
              "audit.target=t2",
              "audit.reason=",
              "audit.outcome=allowed");
    } finally {
      logger.setLevel(null);
      logger.detachAppender(lines);
    }
  }

  /** The role lacks the right to update, so that not even a bug can change entries. */
  @ParameterizedTest
  @ValueSource(strings = {"hsqldb", "postgresql"})
  void theRoleOfTheSystemDatabaseMayNotUpdateTokensOrAuditEntries(String kind) throws SQLException {
    SystemDatabase database = database(kind);
    new TokenStore(database).add(token("a", "admin"));
    for (String change :
        List.of("update forebay.audit set actor = 'b'", "update forebay.token set role = 'none'")) {
      assertThatThrownBy(() -> database.ask(ask -> ask.sql(change).update()))
          .as(change)
          .isInstanceOf(Unavailable.class)
          .hasMessageContaining("SQLState 42");
    }
  }

  @Test
  void anOutageIsReportedAsUnavailableAndEndsWithoutARestart() throws Exception {
    try (TestPostgres postgres = TestPostgres.shared()) {
      Unreliable away = new Unreliable(postgres.owner());
      try (SystemDatabase database = SystemDatabases.of(away.source(), away.source())) {
        TokenStore store = new TokenStore(database);
        assertThatThrownBy(store::all)
            .isInstanceOf(Unavailable.class)
            .hasMessage("the system database does not respond (SQLState 08001)");
        away.isThere = true;
        assertThat(store.all()).isEmpty();
        assertThat(store.add(token("a", "admin"))).isTrue();
      }
    }
  }

  @Test
  void aWrongRoleIsNamed() throws Exception {
    try (TestPostgres postgres = TestPostgres.shared()) {
      DataSource nobody = new DriverManagerDataSource(postgres.url(), "nobody_of_this_name", "");
      try (SystemDatabase database = SystemDatabases.of(nobody, nobody)) {
        assertThatThrownBy(new TokenStore(database)::all)
            .isInstanceOf(Unavailable.class)
            .hasMessageContainingAll("SQLState 28000", "nobody_of_this_name");
      }
    }
  }

  @Test
  void aConstraintViolationIsNotReportedAsAnOutage() throws Exception {
    SystemDatabase database = database("hsqldb");
    assertThatThrownBy(() ->
            database.inTransaction(
                ask -> ask.sql("insert into forebay.token (name) values (null)").update()))
        .isInstanceOf(DataIntegrityViolationException.class);
  }

  /** A data source whose database is unavailable until the test makes it available. */
  private static final class Unreliable {

    private final DataSource database;
    volatile boolean isThere;

    Unreliable(DataSource database) {
      this.database = database;
    }

    DataSource source() {
      return (DataSource)
          java.lang.reflect.Proxy.newProxyInstance(
              SystemStoreTest.class.getClassLoader(),
              new Class<?>[] {DataSource.class},
              (_, method, arguments) -> {
                if (method.getName().equals("getConnection")) {
                  if (!isThere) {
                    throw new SQLException("Connection to 10.0.0.1 refused", "08001");
                  }
                  return database.getConnection();
                }
                return switch (method.getReturnType().getName()) {
                  case "int" -> 0;
                  case "boolean" -> false;
                  default -> null;
                };
              });
    }
  }
}
