/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.call.CallFailure;
import io.forebay.call.Message;
import io.forebay.simulation.ServicePlan.Receivers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Compares what the callers know with the queues, with what was performed and with what was
 * received, at the end of a history.
 */
final class ServiceChecker {

  private final ServiceHistory history;
  private final Map<UUID, SentCall> calls = new HashMap<>();
  private final Map<Long, ServiceHistory.Performed> turns = new HashMap<>();

  /** The messages of the in-queue, by partition and position. */
  private final List<NavigableMap<Long, SentCall>> accepted = new ArrayList<>();

  private boolean complete;

  ServiceChecker(ServiceHistory history) {
    this.history = history;
  }

  /**
   * @param complete whether everything should be performed, answered and received; otherwise only a
   *     first part of it is, without gaps
   */
  void check(boolean complete) {
    this.complete = complete;
    history.performed.forEach(it -> turns.put(it.turn(), it));
    history.calls.forEach(call -> {
      if (call.id != null) {
        calls.put(call.id, call);
      }
    });
    for (int i = 0; i < history.plan.partitions(); i++) {
      accepted.add(calls(i));
    }
    whatIsAcknowledgedIsInTheQueue();
    for (int i = 0; i < history.plan.partitions(); i++) {
      NavigableMap<Long, Answer> answers = history.firstAnswers(i);
      everyCallIsAnsweredOnce(i, bySource("first", i, answers));
      callsArePerformedInOrder(i);
      whatFailsIsADeadLetter(i, answers);
      receiversGetEachAnswer(i, answers);
      if (history.plan.stages() > 1) {
        NavigableMap<Long, Answer> statements = history.secondAnswers(i);
        everyAnswerIsPerformedOnce(i, answers, bySource("second", i, statements));
        if (history.plan.stages() > 2) {
          everyStatementHasItsEffect(i, statements);
        }
      }
    }
    resultsAreFound();
  }

  private NavigableMap<Long, SentCall> calls(int partition) {
    String queue = ServiceHistory.FIRST + ".in";
    NavigableMap<Long, SentCall> found = new TreeMap<>();
    history
        .messages(queue, partition)
        .forEach((position, bytes) -> {
          UUID id = Message.peek(queue, partition, position, ByteBuffer.wrap(bytes)).id();
          SentCall call = calls.get(id);
          if (call == null) {
            history.violated("nobody sent message %s at %d/%d", id, partition, position);
          } else {
            found.put(position, call);
          }
        });
    return found;
  }

  /** The answers by the positions of what they answer, of which each has one, in order. */
  private NavigableMap<Long, Answer> bySource(
      String service, int partition, NavigableMap<Long, Answer> answers) {
    NavigableMap<Long, Answer> found = new TreeMap<>();
    for (Answer answer : answers.values()) {
      if (!found.isEmpty() && answer.source <= found.lastKey()) {
        history.violated(
            "two answers, or in the wrong order: %s answers %d/%d behind %d",
            service, partition, answer.source, found.lastKey());
      }
      found.put(answer.source, answer);
    }
    return found;
  }

  private void whatIsAcknowledgedIsInTheQueue() {
    Set<SentCall> there = new HashSet<>();
    accepted.forEach(partition -> there.addAll(partition.values()));
    for (SentCall call : history.calls) {
      if (call.acknowledged && !there.contains(call) && !history.lostCalls.contains(call)) {
        history.violated("lost: %s was acknowledged", call);
      }
      if (call.refused && there.contains(call)) {
        history.violated("refused, but in the queue: %s", call);
      }
    }
  }

  private void everyCallIsAnsweredOnce(int partition, NavigableMap<Long, Answer> answers) {
    NavigableMap<Long, SentCall> sent = accepted.get(partition);
    long last =
        sent.keySet().stream().filter(it -> isAnswered(answers.get(it))).reduce(-1L, Math::max);
    sent.forEach((position, call) -> {
      Answer answer = answers.get(position);
      if (!isAnswered(answer)) {
        if (complete || position < last) {
          history.violated("no answer: %s at %d/%d", call, partition, position);
        }
      } else if (!isRight(call, position, answer)) {
        history.violated("wrong answer: %s at %d/%d has %s", call, partition, position, answer);
      }
    });
    answers.forEach((position, answer) -> {
      if (!sent.containsKey(position) && !isLost(answer.id)) {
        history.violated("an answer to nothing, at %d/%d", partition, position);
      }
    });
  }

  /** An answer at the place of a call may also be that to a call which an accident took. */
  private boolean isAnswered(@Nullable Answer answer) {
    return answer != null && !isLost(answer.id);
  }

  /** Whether an operator has given a call up. */
  private boolean isLost(UUID id) {
    return history.lostCalls.contains(calls.get(id));
  }

  private boolean isRight(SentCall call, long position, Answer answer) {
    Set<Long> given = new HashSet<>(answer.turns());
    return answer.id.equals(call.id)
        && answer.calls.size() == call.kind.answers()
        && answer.calls.stream().allMatch(it -> it.getFirst().equals(call.number))
        && given.size() <= 1
        && given.stream().allMatch(it -> isTurnOf(it, "first", call.id, position))
        && failsRightly(call.kind, answer.failure);
  }

  private boolean isTurnOf(Object turn, String service, @Nullable UUID id, long position) {
    ServiceHistory.Performed done = turn instanceof Long number ? turns.get(number) : null;
    return done != null
        && done.service().equals(service)
        && done.id().equals(id)
        && done.position() == position;
  }

  private static boolean failsRightly(CallKind kind, @Nullable CallFailure failure) {
    return failure == null
        ? !kind.fails()
        : kind.fails() && failure.declined() == (kind == CallKind.DECLINE);
  }

  private void callsArePerformedInOrder(int partition) {
    Map<UUID, Long> first = new HashMap<>();
    for (ServiceHistory.Performed it : history.performed) {
      if (it.partition() == partition && it.service().equals(ServiceHistory.FIRST)) {
        first.putIfAbsent(it.id(), it.turn());
      }
    }
    long before = 0;
    boolean isPerformed = true;
    for (Map.Entry<Long, SentCall> each : accepted.get(partition).entrySet()) {
      Long turn = first.get(each.getValue().id);
      isPerformed &= turn != null;
      if (complete && turn == null || turn != null && !isPerformed) {
        history.violated("not performed: %s at %d/%d", each.getValue(), partition, each.getKey());
      } else if (turn == null) {
        continue;
      } else if (turn < before) {
        history.violated("order: %s at %d/%d", each.getValue(), partition, each.getKey());
      } else {
        before = turn;
      }
    }
  }

  private void whatFailsIsADeadLetter(int partition, NavigableMap<Long, Answer> firstAnswers) {
    NavigableMap<Long, Answer> answers = new TreeMap<>();
    firstAnswers.values().forEach(it -> answers.put(it.source, it));
    Map<Long, UUID> failed = new TreeMap<>();
    accepted
        .get(partition)
        .forEach((position, call) -> {
          if (call.kind == CallKind.FAIL) {
            failed.put(position, call.id);
          }
        });
    Map<Long, UUID> letters = new TreeMap<>(history.letters(ServiceHistory.FIRST, partition));
    letters.values().removeIf(this::isLost);
    if (!complete) { // a letter is stored before the answer
      failed.keySet().removeIf(it -> !letters.containsKey(it) && !isAnswered(answers.get(it)));
    }
    if (!letters.equals(failed)) {
      history.violated("dead letters: %s, but %s failed", letters, failed);
    }
  }

  /** With transactions once and in order, otherwise at least once. */
  private void receiversGetEachAnswer(int partition, NavigableMap<Long, Answer> answers) {
    if (history.plan.receivers() == Receivers.NONE) {
      return;
    }
    List<Long> given = answers.values().stream().flatMap(it -> it.turns().stream()).toList();
    List<Long> got = history.receivedTurns(partition);
    if (history.plan.receivers() == Receivers.TRANSACTED) {
      if (!isAsExpected(got, given)) {
        history.violated("received: turns %s in partition %d, not %s", got, partition, given);
      }
      return;
    }
    Set<Long> first = new LinkedHashSet<>(got);
    if (!isAsExpected(List.copyOf(first), List.copyOf(new LinkedHashSet<>(given)))) {
      history.violated("received: first %s in partition %d, not %s", first, partition, given);
    }
  }

  /** Whether something was done as expected, as far as it was done. */
  private boolean isAsExpected(List<Long> done, List<Long> expected) {
    return complete
        ? done.equals(expected)
        : done.size() <= expected.size() && done.equals(expected.subList(0, done.size()));
  }

  private void everyAnswerIsPerformedOnce(
      int partition, NavigableMap<Long, Answer> answers, NavigableMap<Long, Answer> statements) {
    answers.forEach((position, answer) -> {
      Answer statement = statements.get(position);
      if (!complete && (statements.isEmpty() || position > statements.lastKey())) {
        return;
      }
      if (statement == null
          || !statement.id.equals(answer.id)
          || statement.calls.size() != answer.calls.size()
          || !statement.turns().stream()
              .allMatch(it ->
                  isTurnOf(it, "second", answer.id, position)
                      && answer.turns().contains(turns.get(it).number()))) {
        history.violated(
            "second stage: %s at %d/%d has %s", answer, partition, position, statement);
      }
    });
    Set<Long> more = new TreeSet<>(statements.keySet());
    more.removeAll(answers.keySet());
    if (!more.isEmpty()) {
      history.violated("second stage: answers to nothing, at %d/%s", partition, more);
    }
  }

  private void everyStatementHasItsEffect(int partition, NavigableMap<Long, Answer> statements) {
    List<Long> expected = statements.values().stream().flatMap(it -> it.turns().stream()).toList();
    Set<Long> ours = new HashSet<>(expected);
    List<Long> effects =
        history.database.read("select number from effects order by turn", row -> row.getLong(1));
    List<Long> there = effects.stream().filter(ours::contains).toList();
    if (!isAsExpected(there, expected)) {
      history.violated("effects: %s in partition %d, not %s", there, partition, expected);
    }
    Set<Long> others = new TreeSet<>(effects);
    others.removeIf(it -> turns.containsKey(it) && turns.get(it).partition() != partition);
    others.removeAll(ours);
    if (!others.isEmpty()) {
      history.violated("effects of nothing: %s in partition %d", others, partition);
    }
    List<Long> answered = history.answeredByLast(partition);
    List<Long> toAnswer =
        statements.entrySet().stream()
            .filter(it -> !it.getValue().calls.isEmpty())
            .map(Map.Entry::getKey)
            .toList();
    if (!isAsExpected(answered, toAnswer)) {
      history.violated(
          "gateway: answers %s in partition %d, not %s", answered, partition, toAnswer);
    }
  }

  private void resultsAreFound() {
    for (SentCall call : history.calls) {
      ServiceHistory.Performed done = call.result == null ? null : turns.get(call.result);
      if (call.result != null && (done == null || !done.id().equals(call.id))) {
        history.violated("result received: %s of %s", call.result, call);
      }
    }
    history.found.forEach((id, result) -> {
      SentCall call = calls.get(id);
      ServiceHistory.Performed done = result instanceof Long turn ? turns.get(turn) : null;
      if (done == null || !done.id().equals(id)) {
        history.violated("result: %s of %s", result, call);
      } else if (call.result != null && !call.result.equals(result)) {
        history.violated("two results: %s has %s and %s", call, call.result, result);
      }
    });
  }
}
