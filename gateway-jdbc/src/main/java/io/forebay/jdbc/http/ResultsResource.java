/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.call.Message;
import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.jdbc.catalogue.Gateways;
import io.forebay.jdbc.gateway.ResultHidden;
import io.forebay.jdbc.http.body.ByteBudget;
import io.forebay.jdbc.http.limit.LookUps;
import io.forebay.jdbc.ledger.KeyedResult;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import io.forebay.service.progress.Unavailable;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Returns results, only to the caller that sent the statement. They come from the database, so that
 * every instance can return them. The address of a result contains the position of its statement in
 * the queue. This distinguishes a result that is still pending from one that does not exist.
 */
final class ResultsResource {

  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(2);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);
  private static final Duration QUEUE_RETRY = Duration.ofSeconds(1);
  private static final Duration DATABASE_RETRY = Duration.ofSeconds(5);

  private final Gateways gateways;
  private final WaitingRequests waiting;
  private final ByteBudget results;
  private final LookUps lookUps;

  ResultsResource(Gateways gateways, WaitingRequests waiting, ByteBudget results, LookUps lookUps) {
    this.gateways = gateways;
    this.waiting = waiting;
    this.results = results;
    this.lookUps = lookUps;
  }

  /** The requested result. For one thread. */
  private static final class Question {

    private final DoorCaller caller;
    private final DoorGateway gateway;
    private final UUID id;
    private final @Nullable Receipt receipt;
    private final boolean proven;
    private final LookUps lookUps;
    private boolean accepted;

    /**
     * @param proven whether the caller has given the idempotency key that the id is made of
     */
    Question(
        DoorCaller caller,
        DoorGateway gateway,
        UUID id,
        @Nullable Receipt receipt,
        boolean proven,
        LookUps lookUps) {
      this.caller = caller;
      this.lookUps = lookUps;
      this.gateway = gateway;
      this.id = id;
      this.receipt = receipt;
      this.proven = proven;
    }

    DoorCaller caller() {
      return caller;
    }

    DoorGateway gateway() {
      return gateway;
    }

    UUID id() {
      return id;
    }

    @Nullable Receipt receipt() {
      return receipt;
    }

    boolean isPerformedHere() {
      return receipt != null && gateway.performsHere(receipt);
    }

    boolean hasAnswered() {
      return receipt != null && gateway.hasAnswered(receipt);
    }

    /** Whether a statement with that id can only be the caller's; the queue is not asked. */
    boolean isProven() {
      return proven;
    }

    /** Remembered, because the state never changes back and a check reads the queue. */
    boolean hasAccepted() {
      Receipt at = receipt;
      accepted =
          accepted || (at != null && lookUps.perform(() -> gateway.hasAccepted(at, caller.name())));
      return accepted;
    }

    /** The answer to the message at this position, if it is still stored. */
    @Nullable ResultDocument inQueue(Receipt at) {
      ResultDocument result = new ResultDocument(id);
      boolean found = lookUps.perform(() -> gateway.client().result(at, caller.name(), result));
      return found ? result : null;
    }
  }

  void get(HttpServletRequest request, HttpServletResponse response) throws IOException {
    Question question = question(request);
    try (WaitingRequests.Place place = waiting.enter(request)) {
      ResultDocument result = await(question, place);
      if (result == null) {
        JsonResponse.write(response, 200, out -> ResultDocument.writePending(out, question.id()));
      } else if (!JsonResponse.writeWithin(results, response, result)) {
        throw results.exhausted("Results of other requests take the memory there is for them");
      }
    }
  }

  /**
   * @return null if the statement is not performed yet
   */
  private static @Nullable ResultDocument await(Question question, WaitingRequests.Place place) {
    long until = System.nanoTime() + place.time().toNanos();
    Duration pause = SHORTEST_PAUSE;
    while (true) {
      ResultDocument result = look(question);
      if (result != null) {
        return result;
      }
      do {
        if (System.nanoTime() >= until || place.isOver() || !rest(pause)) {
          return null;
        }
        pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : pause;
      } while (question.isPerformedHere() && !question.hasAnswered());
    }
  }

  private static boolean rest(Duration pause) {
    try {
      Thread.sleep(pause);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Makes problems of what prevents reading the queue. */
  private static @Nullable ResultDocument look(Question question) {
    try {
      return find(question);
    } catch (ResultHidden e) {
      return null;
    } catch (QueueUnavailable e) {
      throw new Problem(
              ProblemType.QUEUE_UNAVAILABLE,
              "The queue of the statement cannot be read now; retry later")
          .with("reason", "unavailable")
          .retryAfter(QUEUE_RETRY);
    } catch (QueueFailed e) {
      throw new Problem(
              ProblemType.QUEUE_UNAVAILABLE,
              "The queue of the statement failed; an operator must repair it")
          .with("reason", "failed");
    }
  }

  /**
   * @return null if the statement is not performed yet
   * @throws Problem if the result does not exist or cannot be read
   */
  private static @Nullable ResultDocument find(Question question) {
    // Before reading the table, which contains every result that was answered.
    boolean answered = question.hasAnswered();
    Optional<KeyedResult> kept;
    try {
      kept = question.gateway().results().find(question.id());
    } catch (Unavailable e) {
      if (!answered && question.hasAccepted()) {
        return null;
      }
      throw databaseUnavailable(
          "Results are stored in the database, which is not responding; retry later");
    }
    if (kept.isEmpty()) {
      return notKept(question, answered);
    }
    KeyedResult result = kept.get();
    if (!result.client().equals(question.caller().name())) {
      throw unknown();
    }
    Receipt receipt = question.receipt();
    if (receipt != null && !receipt.equals(result.receipt())) {
      // the key was reused: perhaps for another request, which has its own answer
      ResultDocument own = question.inQueue(receipt);
      if (own != null || (!answered && question.hasAccepted())) {
        return own;
      }
      if (!answered && question.hasAnswered()) {
        return find(question); // it was answered and released meanwhile
      }
    }
    ResultDocument document = new ResultDocument(question.id());
    result.answer(document);
    return document;
  }

  /**
   * Handles a result that the database does not store: returns the answer from the out-queue, or
   * null if the statement is still pending.
   */
  private static @Nullable ResultDocument notKept(Question question, boolean answered) {
    Receipt receipt = question.receipt();
    if (receipt == null || !((answered && question.isProven()) || question.hasAccepted())) {
      if (!answered && question.hasAnswered()) {
        return find(question); // it was answered and released meanwhile
      }
      throw unknown();
    }
    if (!answered) {
      return null;
    }
    ResultDocument result = question.inQueue(receipt);
    if (result == null) {
      throw unknown();
    }
    return result;
  }

  private static Problem databaseUnavailable(String detail) {
    return new Problem(ProblemType.DATABASE_UNAVAILABLE, detail).retryAfter(DATABASE_RETRY);
  }

  private static Problem unknown() {
    return new Problem(
        ProblemType.UNKNOWN_RESULT,
        "No statement of this caller has this id, or its result has expired");
  }

  private Question question(HttpServletRequest request) {
    DoorCaller caller = DoorCaller.of(request);
    UUID id = id(request);
    DoorGateway gateway = gateways.find(Query.parameter(request, "gateway"));
    if (gateway == null) {
      throw unknown();
    }
    Long partition = number(request, "partition");
    Long position = number(request, "position");
    Receipt receipt =
        partition == null || position == null || partition >= gateway.service().in().partitions()
            ? null
            : new Receipt(Math.toIntExact(partition), position, id);
    return new Question(caller, gateway, id, receipt, isProof(request, caller, id), lookUps);
  }

  private static boolean isProof(HttpServletRequest request, DoorCaller caller, UUID id) {
    String key = Query.parameter(request, "key");
    try {
      return key != null && Message.keyedId(caller.name(), key).equals(id);
    } catch (IllegalArgumentException _) {
      return false; // no statement has such a key
    }
  }

  private static UUID id(HttpServletRequest request) {
    Object variables = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
    String text = String.valueOf(((Map<?, ?>) Objects.requireNonNull(variables)).get("id"));
    try {
      UUID id = UUID.fromString(text);
      if (id.toString().equalsIgnoreCase(text)) {
        return id;
      }
    } catch (IllegalArgumentException _) {
      // not an id, so no statement has it
    }
    throw unknown();
  }

  private static @Nullable Long number(HttpServletRequest request, String name) {
    String text = Query.parameter(request, name);
    if (text == null) {
      return null;
    }
    if (!text.matches("[0-9]{1,18}")) {
      throw new Problem(ProblemType.INVALID_REQUEST, name + " must be a number");
    }
    return Long.valueOf(text);
  }
}
