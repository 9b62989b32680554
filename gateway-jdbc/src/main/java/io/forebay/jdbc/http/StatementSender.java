/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailed;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.jdbc.gateway.Pending;
import io.forebay.jdbc.gateway.ResultMissed;
import io.forebay.jdbc.gateway.StatementClient.Statements;
import io.forebay.jdbc.http.body.Body;
import io.forebay.jdbc.http.body.ByteBudget;
import io.forebay.jdbc.http.limit.Caller;
import io.forebay.jdbc.http.limit.Permits;
import io.forebay.jdbc.statement.GeneratedKey;
import io.forebay.queue.QueueFailed;
import io.forebay.service.progress.Unavailable;
import io.forebay.trace.TraceParent;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URLEncoder;
import java.time.Duration;
import java.time.Instant;
import java.util.Enumeration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Hands statements over to a gateway and answers their requests. Thread-safe. */
final class StatementSender {

  static final String KEY_HEADER = "Idempotency-Key";

  /** The parameter of the query with the time after which a statement is not performed. */
  static final String DELIVER_BY = "deliver-by";

  private static final Pattern KEY = Pattern.compile("[\\x20-\\x7e]{1,255}");
  private static final Duration UNKNOWN_RETRY = Duration.ofSeconds(1);

  private final DoorLimits limits;
  private final WaitingRequests waiting;
  private final ByteBudget results;

  StatementSender(DoorLimits limits, WaitingRequests waiting, ByteBudget results) {
    this.limits = limits;
    this.waiting = waiting;
    this.results = results;
  }

  private record Accepted(UUID id, String gateway, int partition, long position, String level) {

    static Accepted of(Receipt receipt, DoorGateway gateway) {
      return new Accepted(
          receipt.id(), gateway.name(), receipt.partition(), receipt.position(), gateway.level());
    }
  }

  /**
   * @param slot of the caller; released before the answer is sent, so that its next request finds
   *     it free
   * @param body released when the statements are handed over
   */
  void send(
      HttpServletRequest request,
      HttpServletResponse response,
      Caller caller,
      Permits.Permit slot,
      Body body,
      Together statements)
      throws IOException {
    DoorGateway gateway = statements.gateway();
    String chosen = key(request);
    String key = chosen == null ? generatedKey(gateway) : chosen;
    Statements sending =
        sending(caller, key, statements, Query.deadline(request, DELIVER_BY))
            .traced(TraceParent.parse(request.getHeader(TraceParent.NAME)));
    try (WaitingRequests.Permit permit = waiting.enter(request);
        Caller.Admission admission = caller.admit(statements.size())) {
      Pending<?> pending = statements.handOver(sending);
      admission.sent(statements.size());
      body.release(); // the wait for the result holds no memory for the body
      try {
        awaitAccepted(request, gateway, pending, key);
        if (GeneratedKey.is(key)) {
          response.setHeader("Location", location(request, gateway, pending.receipt(), key));
        } else {
          response.setHeader(KEY_HEADER, key);
          response.setHeader("Location", location(request, gateway, pending.receipt()));
        }
        ResultDocument result = await(gateway, pending, permit);
        slot.close();
        if (result == null || !JsonDocuments.writeWithin(results, response, result)) {
          JsonDocuments.write(response, 202, Accepted.of(pending.receipt(), gateway));
        }
      } finally {
        pending.cancel(false); // the statement is performed nevertheless
      }
    }
  }

  private static String generatedKey(DoorGateway gateway) {
    return gateway.needsStoredKeys() ? UUID.randomUUID().toString() : GeneratedKey.next();
  }

  /** The client's idempotency key, or null. */
  private static @Nullable String key(HttpServletRequest request) {
    Enumeration<String> keys = request.getHeaders(KEY_HEADER);
    if (!keys.hasMoreElements()) {
      return null;
    }
    String key = keys.nextElement();
    if (keys.hasMoreElements()) {
      throw Problem.invalid("The header Idempotency-Key appears twice; nothing was accepted");
    }
    if (!KEY.matcher(key).matches()) {
      throw Problem.invalid(
          "The Idempotency-Key must have 1 to 255 ASCII characters; nothing was accepted");
    }
    return key;
  }

  private static Statements sending(
      Caller caller, String key, Together statements, @Nullable Instant deliverBy) {
    String partitionKey = statements.partitionKey();
    Statements sending = statements.gateway().client().keyed(caller.name(), key);
    sending = partitionKey == null ? sending : sending.partitionedBy(partitionKey);
    return deliverBy == null ? sending : sending.deliverBy(deliverBy);
  }

  private void awaitAccepted(
      HttpServletRequest request, DoorGateway gateway, Pending<?> pending, String key) {
    try {
      pending.awaitAccepted(limits.acceptTimeout());
    } catch (TimeoutException | QueueFailed e) {
      throw unknown(request, gateway, pending, key);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unknown(request, gateway, pending, key);
    }
  }

  private static Problem unknown(
      HttpServletRequest request, DoorGateway gateway, Pending<?> pending, String key) {
    if (GeneratedKey.is(key)) {
      return new Problem(
              ProblemType.OUTCOME_UNKNOWN,
              "The statement may have been accepted or not; ask for its result before you send it"
                  + " again: with 404 it was not accepted")
          .with("result", location(request, gateway, pending.receipt(), key))
          .retryAfter(UNKNOWN_RETRY);
    }
    return new Problem(
            ProblemType.OUTCOME_UNKNOWN,
            "The statement may have been accepted or not; retry with the same Idempotency-Key, so"
                + " that it is performed once")
        .with("idempotencyKey", key)
        .retryAfter(UNKNOWN_RETRY);
  }

  /**
   * @return null if the result does not arrive in that time
   */
  private static @Nullable ResultDocument await(
      DoorGateway gateway, Pending<?> pending, WaitingRequests.Permit permit) {
    if (!permit.time().isPositive()) {
      return null;
    }
    ResultDocument result = new ResultDocument(pending.receipt().id());
    try {
      add(result, permit.await(pending));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ResultMissed) {
        return stored(gateway, pending.receipt());
      }
      if (!(e.getCause() instanceof SqlFailed failed)) {
        return null; // the door is closing
      }
      if (failed.failure().kind() == SqlFailure.Kind.KEY_REUSED) {
        throw new Problem(
            ProblemType.KEY_REUSED,
            "An earlier request had the same Idempotency-Key; nothing was performed");
      }
      result.updateThrown(failed.failure());
    } catch (TimeoutException | CancellationException _) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
    return result;
  }

  /**
   * Returns the result that the database stores for the key.
   *
   * @return null if it cannot be read now, or belongs to another request with the same key
   */
  private static @Nullable ResultDocument stored(DoorGateway gateway, Receipt receipt) {
    try {
      return gateway
          .results()
          .find(receipt.id())
          .filter(kept -> kept.receipt().equals(receipt))
          .map(kept -> {
            ResultDocument document = new ResultDocument(receipt.id());
            kept.answer(document);
            return document;
          })
          .orElse(null);
    } catch (Unavailable e) {
      return null;
    }
  }

  private static void add(ResultDocument result, Object value) {
    switch (value) {
      case Long count -> result.updateResult(count);
      case Rows rows -> result.queryResult(rows);
      case List<?> counts -> counts.forEach(count -> result.updateResult((Long) count));
      default -> throw new IllegalStateException("a result of " + value.getClass());
    }
  }

  /** The address of a result. */
  static String location(HttpServletRequest request, DoorGateway gateway, Receipt receipt) {
    return request.getContextPath()
        + ResultsController.PATH
        + "/"
        + receipt.id()
        + "?gateway="
        + gateway.name()
        + "&partition="
        + receipt.partition()
        + "&position="
        + receipt.position();
  }

  /** The address of a result whose statement carries a key that is not stored. */
  static String location(
      HttpServletRequest request, DoorGateway gateway, Receipt receipt, String key) {
    return location(request, gateway, receipt) + "&key=" + URLEncoder.encode(key, UTF_8);
  }
}
