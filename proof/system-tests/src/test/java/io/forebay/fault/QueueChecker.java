/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.fault.History.Accepted;
import io.forebay.fault.History.Acknowledgement;
import io.forebay.fault.History.Answer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Compares what the senders know with the in-queue, and the in-queue with the out-queue.
 *
 * <p>Every number is unique and every partition is one order, so comparing sets and orders in
 * linear time finds everything (the checks are those of Jepsen's Kafka tests).
 */
final class QueueChecker {

  private final History history;
  private final Violations violations;
  private final Map<Long, Invocation> invocations = new HashMap<>();
  private final Map<Long, Integer> attempts = new HashMap<>();
  private final Map<Place, Accepted> byPlace = new HashMap<>();

  private QueueChecker(History history, Violations violations) {
    this.history = history;
    this.violations = violations;
    for (Invocation invocation : history.sent().invocations()) {
      invocations.putIfAbsent(invocation.number(), invocation);
      attempts.merge(invocation.number(), 1, Integer::sum);
    }
    history.accepted().forEach(accepted -> byPlace.put(accepted.place(), accepted));
  }

  static void check(History history, Violations violations) {
    QueueChecker checker = new QueueChecker(history, violations);
    checker.acknowledgedIsInTheQueue();
    checker.eachSenderKeepsItsOrder();
    checker.queueHoldsOnlyWhatWasSent();
    checker.positionsAreContiguous();
    checker.eachMessageIsAnsweredOnceAndInOrder();
  }

  private void acknowledgedIsInTheQueue() {
    for (Acknowledgement acknowledgement : history.sent().acknowledgements()) {
      Accepted there = byPlace.get(acknowledgement.place());
      if (there == null || there.number() != acknowledgement.number()) {
        violations.add(
            "lost", "%s was acknowledged, but the queue holds %s", acknowledgement, there);
      }
    }
  }

  private void eachSenderKeepsItsOrder() {
    Map<List<Long>, Acknowledgement> last = new HashMap<>();
    for (Acknowledgement next : history.sent().acknowledgements()) {
      Invocation invocation = invocations.get(next.number());
      if (invocation == null || next.attempt() > 1 || invocation.kind().keyed()) {
        continue;
      }
      Acknowledgement before =
          last.put(List.of(invocation.sender(), (long) next.place().partition()), next);
      if (before != null
          && (before.number() < next.number())
              != (before.place().position() < next.place().position())) {
        violations.add("reordered", "%s was accepted before %s, but sent after it", before, next);
      }
    }
  }

  private void queueHoldsOnlyWhatWasSent() {
    Map<Long, Integer> copies = new HashMap<>();
    history.accepted().forEach(accepted -> copies.merge(accepted.number(), 1, Integer::sum));
    copies.forEach((number, count) -> {
      Invocation invocation = invocations.get(number);
      if (invocation == null) {
        violations.add("unexpected", "%d is in the queue, but nobody sent it", number);
      } else if (count > attempts.get(number)) {
        violations.add(
            "duplicate",
            "%s was sent %d times and is in the queue %d times",
            invocation,
            attempts.get(number),
            count);
      } else if (!invocation.kind().keyed() && history.sent().refused().contains(number)) {
        violations.add("unexpected", "%s was refused, but it is in the queue", invocation);
      }
    });
  }

  private void positionsAreContiguous() {
    Map<Integer, Place> last = new HashMap<>();
    for (Accepted accepted : history.accepted()) {
      Place before = last.put(accepted.place().partition(), accepted.place());
      long expected = before == null ? 0 : before.position() + 1;
      if (accepted.place().position() != expected) {
        violations.add("gap", "in-queue: %s follows %s", accepted.place(), before);
      }
    }
  }

  private void eachMessageIsAnsweredOnceAndInOrder() {
    Map<Integer, List<Accepted>> asked =
        history.accepted().stream().collect(Collectors.groupingBy(a -> a.place().partition()));
    Map<Integer, List<Answer>> answered =
        history.answers().stream().collect(Collectors.groupingBy(a -> a.place().partition()));
    answered.keySet().stream()
        .filter(partition -> !asked.containsKey(partition))
        .forEach(partition ->
            violations.add("unexpected result", "in partition %d, which is empty", partition));
    asked.forEach(
        (partition, messages) -> answers(messages, answered.getOrDefault(partition, List.of())));
  }

  private void answers(List<Accepted> messages, List<Answer> answers) {
    Iterator<Accepted> expected = messages.iterator();
    long last = -1;
    for (Answer answer : answers) {
      if (answer.source() <= last) {
        violations.add(
            answer.source() == last ? "duplicate result" : "reordered result",
            "%s follows the answer to position %d",
            answer,
            last);
        continue;
      }
      last = answer.source();
      Accepted message = skipTo(expected, answer);
      if (message == null) {
        violations.add("unexpected result", "%s answers nothing in the in-queue", answer);
      } else if (!message.id().equals(answer.id())) {
        violations.add("unexpected result", "%s does not have the id of %s", answer, message);
      }
    }
    expected.forEachRemaining(this::lostResult);
  }

  /** The message that is answered; those before it have no answer. */
  private Accepted skipTo(Iterator<Accepted> expected, Answer answer) {
    while (expected.hasNext()) {
      Accepted message = expected.next();
      if (message.place().position() == answer.source()) {
        return message;
      }
      lostResult(message);
    }
    return null;
  }

  private void lostResult(Accepted message) {
    violations.add(
        "lost result", "%s (%s)", message, invocations.getOrDefault(message.number(), null));
  }
}
