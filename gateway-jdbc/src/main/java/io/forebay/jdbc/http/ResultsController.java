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
import io.forebay.jdbc.http.limit.Callers;
import io.forebay.jdbc.http.limit.Permits;
import io.forebay.jdbc.ledger.KeyedResult;
import io.forebay.service.progress.Unavailable;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;

/**
 * Returns results, only to the caller that sent the statement. They come from the database, so that
 * every instance can return them. The address of a result contains the position of its statement in
 * the queue. This distinguishes a result that is still pending from one that does not exist.
 */
@ForebayController
final class ResultsController {

  static final String PATH = "/api/v1/results";

  static final String TOO_MANY_BYTES = "Results of %s take the memory there is for them";

  private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

  private final Gateways gateways;
  private final WaitingRequests waiting;
  private final Callers callers;
  private final ByteBudget results;
  private final Permits lookUps;

  ResultsController(
      Gateways gateways,
      WaitingRequests waiting,
      Callers callers,
      ByteBudget results,
      @Qualifier("forebayLookUps") Permits lookUps) {
    this.gateways = gateways;
    this.waiting = waiting;
    this.callers = callers;
    this.results = results;
    this.lookUps = lookUps;
  }

  private record Pending(UUID id, String state) {}

  @GetMapping(PATH + "/{id}")
  void result(
      @PathVariable String id,
      @Nullable Principal principal,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    DoorCaller caller = DoorCaller.of(principal);
    Question question;
    Optional<ResultDocument> result;
    try (Permits.Permit _ = callers.of(caller.name()).enter()) {
      question = new Question(id(id), caller.name(), request);
      try (WaitingRequests.Permit permit = waiting.enter(request)) {
        result = permit.await(new Pauses(LONGEST_PAUSE), question::look, Optional::isPresent);
      }
    }
    if (result.isEmpty()) {
      JsonDocuments.write(response, 200, new Pending(question.id, "pending"));
    } else if (!JsonDocuments.writeWithin(results, response, result.get())) {
      throw results.refused(TOO_MANY_BYTES);
    }
  }

  private static boolean isProof(@Nullable String key, String caller, UUID id) {
    try {
      return key != null && Message.keyedId(caller, key).equals(id);
    } catch (IllegalArgumentException _) {
      return false; // no statement has such a key
    }
  }

  private static UUID id(String text) {
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

  private static Problem unknown() {
    return new Problem(
        ProblemType.UNKNOWN_RESULT,
        "No statement of this caller has this id, or its result has expired");
  }

  /** The requested result. For one thread. */
  private final class Question {

    private final UUID id;
    private final String caller;
    private final DoorGateway gateway;
    private final @Nullable Receipt receipt;

    /**
     * Whether the caller has given the idempotency key that the id is made of: a statement with
     * that id can only be the caller's, and the queue is not asked.
     */
    private final boolean proven;

    private boolean accepted;
    private boolean looked;

    Question(UUID id, String caller, HttpServletRequest request) {
      DoorGateway named = gateways.find(Query.parameter(request, "gateway"));
      if (named == null) {
        throw unknown();
      }
      this.id = id;
      this.caller = caller;
      gateway = named;
      long partition = Query.number(request, "partition", 0, Long.MAX_VALUE, -1);
      long position = Query.number(request, "position", 0, Long.MAX_VALUE, -1);
      receipt =
          partition < 0 || position < 0 || partition >= gateway.service().in().partitions()
              ? null
              : new Receipt(Math.toIntExact(partition), position, id);
      proven = isProof(Query.parameter(request, "key"), caller, id);
    }

    /**
     * Looks for the result: empty if the statement is not performed yet.
     *
     * @throws Problem if the result does not exist
     */
    Optional<ResultDocument> look() {
      Receipt at = receipt;
      if (looked && at != null && gateway.performsHere(at) && !gateway.hasAnswered(at)) {
        return Optional.empty();
      }
      looked = true;
      try {
        return Optional.ofNullable(find());
      } catch (ResultHidden _) {
        return Optional.empty();
      }
    }

    /**
     * @return null if the statement is not performed yet
     */
    private @Nullable ResultDocument find() {
      // Before reading the table, which contains every result that was answered.
      boolean answered = hasAnswered();
      Optional<KeyedResult> kept;
      try {
        kept = gateway.results().find(id);
      } catch (Unavailable e) {
        if (!answered && hasAccepted()) {
          return null;
        }
        throw e;
      }
      if (kept.isEmpty()) {
        return notKept(answered);
      }
      KeyedResult result = kept.get();
      if (!result.client().equals(caller)) {
        throw unknown();
      }
      Receipt at = receipt;
      if (at != null && !at.equals(result.receipt())) {
        // the key was reused: perhaps for another request, which has its own answer
        ResultDocument own = inQueue(at);
        if (own != null || (!answered && hasAccepted())) {
          return own;
        }
        if (!answered && hasAnswered()) {
          return find(); // it was answered and released meanwhile
        }
      }
      ResultDocument document = new ResultDocument(id);
      result.answer(document);
      return document;
    }

    /**
     * Handles a result that the database does not store: returns the answer from the out-queue, or
     * null if the statement is still pending.
     */
    private @Nullable ResultDocument notKept(boolean answered) {
      Receipt at = receipt;
      if (at == null || !((answered && proven) || hasAccepted())) {
        if (!answered && hasAnswered()) {
          return find(); // it was answered and released meanwhile
        }
        throw unknown();
      }
      if (!answered) {
        return null;
      }
      ResultDocument result = inQueue(at);
      if (result == null) {
        throw unknown();
      }
      return result;
    }

    private boolean hasAnswered() {
      return receipt != null && gateway.hasAnswered(receipt);
    }

    /** Remembered, because the state never changes back and a check reads the queue. */
    private boolean hasAccepted() {
      Receipt at = receipt;
      accepted = accepted || (at != null && lookUps.perform(() -> gateway.hasAccepted(at, caller)));
      return accepted;
    }

    /** The answer to the message at this position, if it is still stored. */
    private @Nullable ResultDocument inQueue(Receipt at) {
      ResultDocument result = new ResultDocument(id);
      boolean found = lookUps.perform(() -> gateway.client().result(at, caller, result));
      return found ? result : null;
    }
  }
}
