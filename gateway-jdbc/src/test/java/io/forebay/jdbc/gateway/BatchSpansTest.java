/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.trace.RecordedSpans.childOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.Request;
import io.forebay.queue.Fenced;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.trace.RecordedSpans;
import io.forebay.trace.TraceParent;
import io.opentelemetry.api.trace.StatusCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The spans of batches that a sender of ours seldom causes. */
class BatchSpansTest {

  private static final TraceParent CALLER =
      TraceParent.parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  private static final SqlFailure FAILURE =
      new SqlFailure("23505", 0, SqlFailure.Kind.CONSTRAINT, "for a test");

  private final RecordedSpans recorded = new RecordedSpans();
  private final BatchSpans spans = new BatchSpans(recorded.tracing(), "shop.in");
  private final Message message = message();
  private final Batch batch = new Batch();

  private static Message message() {
    Message[] read = new Message[1];
    try (MemoryBackend backend = MemoryBackend.open();
        MessageQueue queue = backend.open("shop.in", 1);
        Writer<JDBCStatement> writer = Protocol.of(JDBCStatement.class).writer(queue);
        Tailer tailer = queue.tailer(0)) {
      writer.traced(CALLER).calls().executeUpdate("delete from item");
      tailer.poll(1, (position, bytes) -> read[0] = Message.peek("shop.in", 0, position, bytes));
    }
    return read[0];
  }

  private PendingStatement statement() {
    Request request = new Request.Single("delete from item", new Object[0], null);
    PendingStatement statement = new PendingStatement(request, message, null, false);
    batch.add(statement);
    return statement;
  }

  @AfterEach
  void close() {
    recorded.close();
  }

  @Test
  void aMessageOfSeveralStatementsFailsWithAnyOfThem() {
    statement().answer(Outcome.Count.of(1));
    statement().fail(FAILURE);
    statement().answer(Outcome.Count.of(1));
    spans.begin();
    spans.tries();
    spans.performed(batch);
    assertThat(recorded.named("process shop.in"))
        .singleElement()
        .matches(childOf(CALLER))
        .satisfies(span -> {
          assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
          assertThat(span.getAttributes().asMap()).containsValue("CONSTRAINT");
        });
  }

  @Test
  void aBatchThatIsFencedHasNoSpans() {
    statement();
    spans.begin();
    spans.tries();
    spans.failed(batch, new Fenced("taken over for the test", null));
    assertThat(recorded.all()).isEmpty();
  }
}
