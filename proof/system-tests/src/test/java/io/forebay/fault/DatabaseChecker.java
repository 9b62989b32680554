/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.fault.History.Accepted;
import io.forebay.fault.History.Answer;
import io.forebay.fault.History.Contents;
import io.forebay.fault.History.Tally;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Compares the database with the in-queue and the results: accepted statements took effect once, in
 * order, and have the matching result.
 */
final class DatabaseChecker {

  private final History history;
  private final Contents contents;
  private final Violations violations;
  private final Map<Long, Invocation> invocations = new HashMap<>();
  private final Map<Long, List<Accepted>> copies = new HashMap<>();
  private final Map<Place, String> outcomes = new HashMap<>();

  private DatabaseChecker(History history, Violations violations) {
    this.history = history;
    this.contents = history.contents();
    this.violations = violations;
    history.sent().invocations().forEach(i -> invocations.putIfAbsent(i.number(), i));
    history
        .accepted()
        .forEach(a -> copies.computeIfAbsent(a.number(), _ -> new ArrayList<>(1)).add(a));
    for (Answer answer : history.answers()) {
      outcomes.put(new Place(answer.place().partition(), answer.source()), answer.outcome());
    }
  }

  static void check(History history, Violations violations) {
    DatabaseChecker checker = new DatabaseChecker(history, violations);
    checker.resultsSayWhatTheyShould();
    checker.effectsAreThereOnce();
    checker.talliesAreRight();
    checker.listsHaveTheOrderOfAcceptance();
    checker.ordersAreWhole();
    checker.progressIsAtTheEnd();
    checker.failuresAreKeptOnce();
  }

  private void resultsSayWhatTheyShould() {
    for (Accepted accepted : history.accepted()) {
      String outcome = outcomes.get(accepted.place());
      Invocation invocation = invocations.get(accepted.number());
      if (outcome == null || invocation == null) {
        continue; // the queue checker reports this
      }
      String expected = expected(invocation, accepted.place());
      if (!outcome.equals(expected)) {
        violations.add(
            "wrong result",
            "%s at %s: '%s' instead of '%s'",
            invocation,
            accepted.place(),
            outcome,
            expected);
      }
    }
  }

  private String expected(Invocation invocation, Place place) {
    return switch (invocation.kind()) {
      case RETURNING -> "rows [[" + invocation.number() + "]]";
      case QUERY ->
          "rows [["
              + copies.getOrDefault(Long.parseLong(invocation.target()), List.of()).stream()
                  .map(Accepted::place)
                  .filter(other ->
                      other.partition() == place.partition() && other.position() < place.position())
                  .count()
              + "]]";
      default -> invocation.kind().outcome();
    };
  }

  private void effectsAreThereOnce() {
    forEachAccepted((invocation, place) -> {
      int expected = invocation.kind().inserts() ? 1 : 0;
      compare(invocation, place, "effect", expected, contents.effects());
    });
    contents.effects().keySet().forEach(number -> mustBeAccepted("effect", number));
  }

  private void ordersAreWhole() {
    forEachAccepted((invocation, place) -> {
      boolean whole = invocation.kind() == Kind.TOGETHER;
      compare(invocation, place, "order", whole ? 1 : 0, contents.orders());
      List<Integer> lines = contents.lines().getOrDefault(invocation.number(), List.of());
      if (!lines.equals(whole ? List.of(1, 2) : List.of())) {
        violations.add("torn", "%s at %s has the lines %s", invocation, place, lines);
      }
    });
    contents.orders().keySet().forEach(number -> mustBeAccepted("order", number));
    contents.lines().keySet().forEach(number -> mustBeAccepted("line", number));
    contents
        .checked()
        .forEach(number ->
            violations.add(
                "unexpected", "%d is in the table although it violates the check", number));
  }

  private void compare(
      Invocation invocation, Place place, String what, int expected, Map<Long, Integer> actual) {
    int count = actual.getOrDefault(invocation.number(), 0);
    if (count != expected) {
      violations.add(
          count > Math.max(1, expected) ? "duplicate" : count < expected ? "lost" : "unexpected",
          "%s at %s: %s is there %d times instead of %d; its result is '%s'",
          invocation,
          place,
          what,
          count,
          expected,
          outcomes.get(place));
    }
  }

  private void mustBeAccepted(String what, long number) {
    if (!copies.containsKey(number)) {
      violations.add(
          "unexpected",
          "%s of %s, which is not in the queue",
          what,
          Objects.requireNonNullElse(invocations.get(number), number));
    }
  }

  private void talliesAreRight() {
    Map<String, Tally> expected = new TreeMap<>();
    Map<String, Integer> partitions = new HashMap<>();
    for (Accepted accepted : history.accepted()) {
      Invocation invocation = invocations.get(accepted.number());
      if (invocation != null && invocation.kind() == Kind.TALLY) {
        expected.merge(
            invocation.target(),
            new Tally(1, accepted.number()),
            (a, b) -> new Tally(a.count() + 1, b.last()));
        partitions.merge(
            invocation.target(), accepted.place().partition(), (a, b) -> a.equals(b) ? a : -1);
      }
    }
    contents
        .tallies()
        .forEach((key, tally) -> {
          Tally right = expected.getOrDefault(key, new Tally(0, 0));
          if (tally.count() != right.count()) {
            violations.add(
                tally.count() < right.count() ? "lost" : "duplicate",
                "tally %s is %d after %d statements",
                key,
                tally.count(),
                right.count());
          } else if (partitions.getOrDefault(key, -1) >= 0 && tally.last() != right.last()) {
            violations.add(
                "reordered",
                "tally %s was last changed by %d instead of %s",
                key,
                tally.last(),
                right);
          }
          expected.remove(key);
        });
    expected.forEach((key, tally) -> violations.add("lost", "tally %s is missing", key));
  }

  private void listsHaveTheOrderOfAcceptance() {
    Map<String, List<Long>> expected = new TreeMap<>();
    for (Accepted accepted : history.accepted()) {
      Invocation invocation = invocations.get(accepted.number());
      if (invocation != null && invocation.kind() == Kind.APPEND) {
        expected
            .computeIfAbsent(invocation.target(), _ -> new ArrayList<>())
            .add(accepted.number());
      }
    }
    contents.lists().forEach((key, list) -> compare(key, list, expected.remove(key)));
    expected.forEach((key, list) -> violations.add("lost", "list %s is missing", key));
  }

  private void compare(String key, List<Long> list, List<Long> accepted) {
    List<Long> right = accepted == null ? List.of() : accepted;
    if (list.equals(right)) {
      return;
    }
    String sort =
        list.size() < right.size()
            ? "lost"
            : list.size() > right.size() ? "duplicate" : "reordered";
    int from = 0;
    while (from < Math.min(list.size(), right.size()) && list.get(from).equals(right.get(from))) {
      from++;
    }
    violations.add(
        sort,
        "list %s has %d numbers instead of %d; from %d on %s instead of %s",
        key,
        list.size(),
        right.size(),
        from,
        list.subList(from, Math.min(from + 3, list.size())),
        right.subList(from, Math.min(from + 3, right.size())));
  }

  private void progressIsAtTheEnd() {
    Map<Integer, Long> ends = new TreeMap<>();
    history
        .accepted()
        .forEach(a -> ends.merge(a.place().partition(), a.place().position() + 1, Long::max));
    contents
        .progress()
        .forEach((partition, next) -> {
          if (!next.equals(ends.getOrDefault(partition, 0L))) {
            violations.add(
                "progress",
                "of partition %d is %d, the queue ends at %s",
                partition,
                next,
                ends.get(partition));
          }
        });
    if (contents.deadLetters() > 0) {
      violations.add("unexpected", "%d dead letters", contents.deadLetters());
    }
  }

  /** Of the statements with one key only the first fails; later copies get its answer. */
  private void failuresAreKeptOnce() {
    Map<Place, Integer> kept = new HashMap<>();
    contents.failed().forEach(place -> kept.merge(place, 1, Integer::sum));
    for (Accepted accepted : history.accepted()) {
      Invocation invocation = invocations.get(accepted.number());
      if (invocation == null) {
        continue;
      }
      boolean first = copies.get(accepted.number()).getFirst().equals(accepted);
      boolean fails = String.valueOf(invocation.kind().outcome()).startsWith("failed");
      int expected = fails && (first || !invocation.kind().keyed()) ? 1 : 0;
      int count = Objects.requireNonNullElse(kept.remove(accepted.place()), 0);
      if (count != expected) {
        violations.add(
            count > Math.max(1, expected) ? "duplicate" : count < expected ? "lost" : "unexpected",
            "%s at %s: it is kept as failed %d times instead of %d",
            invocation,
            accepted.place(),
            count,
            expected);
      }
    }
    kept.keySet()
        .forEach(place ->
            violations.add("unexpected", "%s is listed as failed, but is not in the queue", place));
  }

  private void forEachAccepted(Check check) {
    copies.forEach((number, places) -> {
      Invocation invocation = invocations.get(number);
      if (invocation != null) {
        check.run(invocation, places.getFirst().place());
      }
    });
  }

  /** Checks a statement that stands in the queue once, or several times if it has a key. */
  private interface Check {
    void run(Invocation invocation, Place place);
  }
}
