/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.trace.RecordedSpans.childOf;
import static io.forebay.trace.RecordedSpans.context;
import static io.forebay.trace.RecordedSpans.linkedTo;
import static io.forebay.trace.RecordedSpans.links;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Message;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.database.CapturedLog;
import io.forebay.database.TestDatabase;
import io.forebay.hosting.Paused;
import io.forebay.jdbc.Row;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import io.forebay.queue.Tailer;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState;
import io.forebay.trace.RecordedSpans;
import io.forebay.trace.ThrowingTracer;
import io.forebay.trace.TraceParent;
import io.forebay.trace.Tracing;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The spans of statements, from a Java caller to a gateway on Chronicle. */
class TracedStatementsTest {

  private static final String INSERT = "insert into item (id) values (?)";
  private static final String STATEMENT = "process shop.in";
  private static final String BATCH = "batch shop.in";

  @TempDir Path directory;
  private final RecordedSpans spans = new RecordedSpans();
  private TestDatabase database;
  private ChronicleBackend queues;
  private JDBCService service;
  private StatementClient client;

  @BeforeEach
  void start() throws SQLException {
    database = TestDatabase.hsqldb(directory.resolve("database"));
    database.createTable("item", "id bigint primary key");
    queues =
        ChronicleBackend.open(
            directory.resolve("queues"),
            ChronicleBackend.Options.defaults().withMinFree(1 << 20, 0.001));
    service = start(spans.tracing());
    client = service.createClient();
  }

  private JDBCService start(Tracing tracing) {
    JDBCService started =
        JDBCService.builder("shop")
            .queues(queues, 1)
            .dataSource(database.gateway())
            .migrate(database.owner())
            .tries(1_000_000)
            .tracing(tracing)
            .options(
                ServiceOptions.defaults().withRetry(Duration.ofMillis(10), Duration.ofMillis(10)))
            .build();
    started.start();
    return started;
  }

  @AfterEach
  void stop() throws SQLException {
    client.close();
    service.close();
    queues.close();
    database.close();
    spans.close();
  }

  private TraceParent insert(long id, List<Pending<Long>> pending) {
    return spans.in("caller", () -> pending.add(client.executeUpdate(INSERT, id)));
  }

  private void performAll(List<Pending<Long>> pending) {
    service.resume();
    await().until(() -> pending.stream().allMatch(Pending::isDone));
    await().until(() -> service.position(0) == pending.size());
  }

  @Test
  void theSpanOfABatchLinksTheSpansOfItsStatementsWhichAreBelowTheirCallers() {
    Paused.pause(service, "so that all come together");
    List<Pending<Long>> pending = new ArrayList<>();
    List<TraceParent> callers = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      callers.add(insert(i, pending));
      pending.add(client.executeUpdate(INSERT, 1_000 + i));
    }
    performAll(pending);

    List<SpanData> statements = spans.named(STATEMENT);
    assertThat(statements).hasSize(300);
    for (int i = 0; i < 300; i++) {
      assertThat(statements.get(i)).matches(childOf(callers.get(i)));
      assertThat(statements.get(i).getKind()).isEqualTo(SpanKind.CONSUMER);
    }
    List<SpanData> batches = spans.named(BATCH);
    assertThat(batches)
        .extracting(batch -> links(batch).size())
        .as("a batch of 250 messages, and one with more links than a span keeps")
        .containsExactly(125, 128, 47);
    assertThat(batches).noneMatch(batch -> batch.getParentSpanContext().isValid());
    assertThat(batches.stream().flatMap(batch -> links(batch).stream()))
        .containsExactlyElementsOf(statements.stream().map(RecordedSpans::context).toList());
  }

  @Test
  void aResultCarriesTheTraceOfItsStatement() {
    List<Pending<Long>> pending = new ArrayList<>();
    TraceParent caller = insert(1, pending);
    performAll(pending);
    List<TraceParent> results = new ArrayList<>();
    try (Tailer tailer = service.out().tailer(0)) {
      tailer.poll(
          1,
          (position, bytes) -> results.add(Message.peek("shop.out", 0, position, bytes).trace()));
    }
    assertThat(results).containsExactly(caller);
  }

  @Test
  void aFailureShowsItsTraceAndItsReplayHasALink() {
    Failures failed = new Failures(List.of(new GatewayFailures(service)));
    List<Pending<Long>> pending = new ArrayList<>();
    List<String> log = new ArrayList<>();
    TraceParent caller;
    try (CapturedLog _ = CapturedLog.of("io.forebay.jdbc.statement.FailureNotes", log)) {
      insert(1, pending);
      caller = insert(1, pending);
      performAll(pending);
    }
    SpanData failing = spans.named(STATEMENT).getLast();
    assertThat(failing).matches(childOf(caller));
    assertThat(failing.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(failing.getAttributes().toString()).contains("CONSTRAINT");
    assertThat(log).singleElement().asString().contains(", trace " + caller.traceId());
    Failure failure = failed.list(null, null, 10).failures().getFirst();
    assertThat(failure.traceId()).isEqualTo(caller.traceId());

    spans.in("operator", () -> failed.replay(failure.id(), "olga"));
    await().until(() -> service.position(0) == 3);
    assertThat(spans.named(STATEMENT)).hasSize(3);
    assertThat(spans.named(STATEMENT).getLast()).matches(linkedTo(caller));
  }

  /** The function {@code ready} fails so that it is retried, until item 7 is there. */
  private void createReady() throws SQLException {
    try (Connection connection = database.owner().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create function ready() returns bigint reads sql data begin atomic"
              + " if (select count(*) from item where id = 7) = 0"
              + " then signal sqlstate '40001'; end if; return 8; end");
      statement.execute("grant execute on function public.ready to public");
    }
  }

  private void makeReady() throws SQLException {
    try (Connection connection = database.owner().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("insert into item (id) values (7)");
    }
  }

  private TraceParent insertWhenReady(List<Pending<Long>> pending) {
    return spans.in(
        "caller",
        () -> pending.add(client.executeUpdate("insert into item (id) values (ready())")));
  }

  @Test
  void whatWasCommittedBeforeAFailureHasOneSpanWithoutAnError() throws Exception {
    createReady();
    Paused.pause(service, "so that all come together");
    List<Pending<Long>> pending = new ArrayList<>();
    List<TraceParent> callers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      callers.add(insert(i, pending));
    }
    for (int i = 0; i < 3; i++) { // too large for one transaction, so that it takes pieces
      callers.add(
          spans.in(
              "caller",
              () ->
                  client.executeQuery(
                      "select repeat('x', 450000) from item where id = 1", Row.class)));
    }
    callers.add(insertWhenReady(pending));
    service.resume();
    await().until(() -> service.state().phase() == ServiceState.Phase.WAITING);
    makeReady();
    await().until(() -> service.position(0) == callers.size());

    List<SpanData> statements = spans.named(STATEMENT);
    assertThat(statements).hasSize(10);
    for (int i = 0; i < 9; i++) {
      assertThat(statements.get(i)).matches(childOf(callers.get(i)));
    }
    assertThat(statements.get(9)).matches(linkedTo(callers.get(8)));
    assertThat(statements)
        .extracting(span -> span.getStatus().getStatusCode() == StatusCode.ERROR)
        .containsExactly(false, false, false, false, false, false, false, false, true, false);
    assertThat(spans.named(BATCH))
        .extracting(
            span -> links(span).size(),
            span -> span.getStatus().getStatusCode() == StatusCode.ERROR)
        .containsExactly(tuple(8, false), tuple(1, true), tuple(1, false));
  }

  @Test
  void aTracerThatThrowsFailsNoStatement() throws Exception {
    createReady();
    List<Pending<Long>> pending = new ArrayList<>();
    long id = 100;
    TraceParent caller = spans.in("caller", () -> {});
    for (Tracing tracing : ThrowingTracer.each()) {
      client.close();
      service.close();
      service = start(tracing);
      client = service.createClient();
      insert(id++, pending);
      pending.add(client.keyed("shop", "" + id).traced(caller).executeUpdate(INSERT, id++));
      pending.add(client.executeUpdate(INSERT, id++));
      await().until(() -> pending.stream().allMatch(Pending::isDone));
    }
    pending.add(
        client
            .keyed("shop", "ready")
            .traced(caller)
            .executeUpdate("insert into item (id) values (ready())"));
    await().until(() -> service.state().phase() == ServiceState.Phase.WAITING);
    makeReady();
    performAll(pending);
    assertThat(pending.stream().map(Pending::join)).containsOnly(1L);
  }

  @Test
  void aRetryHasALinkInsteadOfAParent() throws Exception {
    createReady();
    List<Pending<Long>> pending = new ArrayList<>();
    TraceParent caller = insertWhenReady(pending);
    await().until(() -> service.state().phase() == ServiceState.Phase.WAITING);
    await().until(() -> spans.named(STATEMENT).size() == 1);
    makeReady();
    performAll(pending);

    List<SpanData> tries = spans.named(STATEMENT);
    assertThat(tries).hasSize(2);
    assertThat(tries.getFirst()).matches(childOf(caller));
    assertThat(tries.getFirst().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(tries.getLast()).matches(linkedTo(caller));
    assertThat(tries.getLast().getStatus().getStatusCode()).isNotEqualTo(StatusCode.ERROR);
    assertThat(spans.named(BATCH))
        .extracting(RecordedSpans::links)
        .containsExactly(List.of(context(tries.getFirst())), List.of(context(tries.getLast())));
  }
}
