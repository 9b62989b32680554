/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.fault.History.Accepted;
import io.forebay.fault.History.Acknowledgement;
import io.forebay.fault.History.Answer;
import io.forebay.fault.History.Contents;
import io.forebay.fault.History.Sent;
import io.forebay.fault.History.Tally;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The checkers find violations in fabricated histories, and none in a correct one. */
class CheckerTest {

  private static final long EFFECT = 1;
  private static final long TALLY = 2;
  private static final long APPEND = 3;
  private static final long SECOND_APPEND = 4;
  private static final long FAILING = 5;
  private static final long TOGETHER = 6;
  private static final long QUERY = 7;
  private static final long KEYED = 8;
  private static final long IN_DOUBT = 9;
  private static final long NEVER_ARRIVED = 10;
  private static final long KEYED_FAILING = 11;

  private final List<Invocation> invocations = new ArrayList<>();
  private final List<Acknowledgement> acknowledgements = new ArrayList<>();
  private final Set<Long> refused = new HashSet<>();
  private final List<Accepted> accepted = new ArrayList<>();
  private final List<Answer> answers = new ArrayList<>();
  private final Map<Long, Integer> effects = new HashMap<>();
  private final Map<String, Tally> tallies = new HashMap<>();
  private final Map<String, List<Long>> lists = new HashMap<>();
  private final Map<Long, Integer> orders = new HashMap<>();
  private final Map<Long, List<Integer>> lines = new HashMap<>();
  private final List<Long> checked = new ArrayList<>();
  private final Map<Integer, Long> progress = new HashMap<>();
  private final List<Place> failed = new ArrayList<>();
  private long deadLetters;

  /**
   * A correct history; the last but one statement is not acknowledged, and the last is lost in
   * transit.
   */
  CheckerTest() {
    accept(Invocation.of(EFFECT, Kind.EFFECT), 0, "count 1");
    accept(Invocation.of(TALLY, Kind.TALLY, "t"), 0, "count 1");
    accept(Invocation.of(APPEND, Kind.APPEND, "l"), 0, "count 1");
    accept(Invocation.of(SECOND_APPEND, Kind.APPEND, "l"), 0, "count 1");
    accept(Invocation.of(FAILING, Kind.FAILING), 1, "failed CONSTRAINT");
    accept(Invocation.of(TOGETHER, Kind.TOGETHER), 1, "count 1, count 1, count 1");
    accept(Invocation.of(QUERY, Kind.QUERY, Long.toString(EFFECT)), 0, "rows [[1]]");
    Invocation keyed = Invocation.of(KEYED, Kind.KEYED);
    accept(keyed, 1, "count 1");
    accept(keyed.again(), 1, "count 1");
    accept(Invocation.of(IN_DOUBT, Kind.EFFECT), 1, "count 1");
    acknowledgements.removeLast();
    invocations.add(Invocation.of(NEVER_ARRIVED, Kind.EFFECT));
    Invocation keyedFailing = Invocation.of(KEYED_FAILING, Kind.KEYED_FAILING);
    accept(keyedFailing, 1, "failed CONSTRAINT");
    accept(keyedFailing.again(), 1, "failed CONSTRAINT");
    failed.addAll(List.of(new Place(1, 0), new Place(1, 5)));
    effects.putAll(Map.of(EFFECT, 1, KEYED, 1, IN_DOUBT, 1));
    tallies.put("t", new Tally(1, TALLY));
    lists.put("l", List.of(APPEND, SECOND_APPEND));
    orders.put(TOGETHER, 1);
    lines.put(TOGETHER, List.of(1, 2));
    progress.putAll(Map.of(0, 5L, 1, 7L));
  }

  private void accept(Invocation invocation, int partition, String outcome) {
    long position = accepted.stream().filter(a -> a.place().partition() == partition).count();
    Place place = new Place(partition, position);
    UUID id = new UUID(0, invocation.number());
    invocations.add(invocation);
    acknowledgements.add(new Acknowledgement(invocation.number(), invocation.attempt(), place));
    accepted.add(new Accepted(place, id, invocation.number()));
    answers.add(new Answer(place, position, id, outcome));
  }

  private Map<String, Integer> violations() {
    Violations violations = new Violations();
    History history =
        new History(
            new Sent(invocations, acknowledgements, refused),
            accepted,
            answers,
            new Contents(
                effects, tallies, lists, orders, lines, checked, progress, failed, deadLetters));
    QueueChecker.check(history, violations);
    DatabaseChecker.check(history, violations);
    return new TreeMap<>(violations.counts());
  }

  private int answerTo(long number) {
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i).id().getLeastSignificantBits() == number) {
        return i;
      }
    }
    throw new IllegalArgumentException("no answer to " + number);
  }

  @Test
  void aCorrectHistoryHasNoViolations() {
    assertThat(violations()).isEmpty();
  }

  @Test
  void anAcknowledgedStatementMissingInTheQueueIsLost() {
    acknowledgements.add(new Acknowledgement(NEVER_ARRIVED, 1, new Place(0, 5)));

    assertThat(violations()).containsOnlyKeys("lost");
  }

  @Test
  void anAcknowledgedStatementReplacedByAnotherIsLost() {
    acknowledgements.add(new Acknowledgement(NEVER_ARRIVED, 1, new Place(1, 4)));

    assertThat(violations()).containsOnlyKeys("lost");
  }

  @Test
  void aMissingEffectIsLost() {
    effects.remove(IN_DOUBT);

    assertThat(violations()).containsExactly(Map.entry("lost", 1));
  }

  @Test
  void anEffectThatHappenedTwiceIsADuplicate() {
    effects.put(EFFECT, 2);

    assertThat(violations()).containsExactly(Map.entry("duplicate", 1));
  }

  @Test
  void anEffectForEachMessageOfAKeyIsADuplicate() {
    effects.put(KEYED, 2);

    assertThat(violations()).containsExactly(Map.entry("duplicate", 1));
  }

  @Test
  void anEffectOfAStatementThatIsNotInTheQueueIsUnexpected() {
    effects.put(NEVER_ARRIVED, 1);
    effects.put(4711L, 1);

    assertThat(violations()).containsExactly(Map.entry("unexpected", 2));
  }

  @Test
  void anEffectOfAStatementThatFailedIsUnexpected() {
    effects.put(FAILING, 1);
    checked.add(FAILING);

    assertThat(violations()).containsExactly(Map.entry("unexpected", 2));
  }

  @Test
  void aMessageThatNobodySentIsUnexpected() {
    accepted.add(new Accepted(new Place(2, 0), new UUID(0, 4711), 4711));
    answers.add(new Answer(new Place(2, 0), 0, new UUID(0, 4711), "count 1"));

    assertThat(violations()).containsExactly(Map.entry("unexpected", 1));
  }

  @Test
  void aRefusedStatementInTheQueueIsUnexpected() {
    refused.add(IN_DOUBT);

    assertThat(violations()).containsExactly(Map.entry("unexpected", 1));
  }

  @Test
  void aStatementQueuedMoreOftenThanSentIsADuplicate() {
    invocations.remove(Invocation.of(KEYED, Kind.KEYED).again());

    assertThat(violations()).containsExactly(Map.entry("duplicate", 1));
  }

  @Test
  void swappedMessagesOfOneSenderAreReordered() {
    Collections.swap(accepted, 0, 1);
    accepted.set(0, new Accepted(new Place(0, 0), accepted.get(0).id(), TALLY));
    accepted.set(1, new Accepted(new Place(0, 1), accepted.get(1).id(), EFFECT));
    acknowledgements.set(0, new Acknowledgement(EFFECT, 1, new Place(0, 1)));
    acknowledgements.set(1, new Acknowledgement(TALLY, 1, new Place(0, 0)));
    answers.set(0, new Answer(new Place(0, 0), 0, accepted.get(0).id(), "count 1"));
    answers.set(1, new Answer(new Place(0, 1), 1, accepted.get(1).id(), "count 1"));

    assertThat(violations()).containsExactly(Map.entry("reordered", 1));
  }

  @Test
  void aMissingPositionIsAGap() {
    accepted.add(new Accepted(new Place(2, 1), new UUID(0, NEVER_ARRIVED), NEVER_ARRIVED));
    answers.add(new Answer(new Place(2, 0), 1, new UUID(0, NEVER_ARRIVED), "count 1"));
    effects.put(NEVER_ARRIVED, 1);

    assertThat(violations()).containsExactly(Map.entry("gap", 1));
  }

  @Test
  void aMissingResultIsLost() {
    answers.remove(answerTo(TALLY));
    answers.removeLast();

    assertThat(violations()).containsExactly(Map.entry("lost result", 2));
  }

  @Test
  void aResultThatOccursTwiceIsADuplicate() {
    answers.add(answerTo(TALLY), answers.get(answerTo(TALLY)));

    assertThat(violations()).containsExactly(Map.entry("duplicate result", 1));
  }

  @Test
  void swappedResultsAreReordered() {
    Collections.swap(answers, answerTo(TALLY), answerTo(APPEND));

    assertThat(violations()).containsOnlyKeys("lost result", "reordered result");
  }

  @Test
  void aResultWithoutAMessageIsUnexpected() {
    answers.add(new Answer(new Place(0, 5), 5, new UUID(0, 12), "count 1"));
    answers.add(new Answer(new Place(2, 0), 0, new UUID(0, 13), "count 1"));

    assertThat(violations()).containsExactly(Map.entry("unexpected result", 2));
  }

  @Test
  void aResultWithTheIdOfAnotherMessageIsUnexpected() {
    Answer right = answers.getFirst();
    answers.set(0, new Answer(right.place(), right.source(), new UUID(0, 12), right.outcome()));

    assertThat(violations()).containsExactly(Map.entry("unexpected result", 1));
  }

  @Test
  void aResultWithAnotherOutcomeIsWrong() {
    for (long number : List.of(EFFECT, FAILING, TOGETHER, QUERY)) {
      Answer right = answers.get(answerTo(number));
      answers.set(
          answerTo(number), new Answer(right.place(), right.source(), right.id(), "count 7"));
    }

    assertThat(violations()).containsExactly(Map.entry("wrong result", 4));
  }

  @Test
  void aTallyThatIsTooLowIsLost() {
    tallies.put("t", new Tally(0, 0));

    assertThat(violations()).containsExactly(Map.entry("lost", 1));
  }

  @Test
  void aTallyThatIsTooHighIsADuplicate() {
    tallies.put("t", new Tally(2, TALLY));

    assertThat(violations()).containsExactly(Map.entry("duplicate", 1));
  }

  @Test
  void aListInAnotherOrderIsReordered() {
    lists.put("l", List.of(SECOND_APPEND, APPEND));

    assertThat(violations()).containsExactly(Map.entry("reordered", 1));
  }

  @Test
  void aListWithTooFewEntriesIsLostAndOneWithTooManyADuplicate() {
    lists.put("l", List.of(APPEND));
    assertThat(violations()).containsExactly(Map.entry("lost", 1));

    lists.put("l", List.of(APPEND, SECOND_APPEND, SECOND_APPEND));
    assertThat(violations()).containsExactly(Map.entry("duplicate", 1));
  }

  @Test
  void anOrderWithoutAllItsLinesIsTorn() {
    lines.put(TOGETHER, List.of(1));

    assertThat(violations()).containsExactly(Map.entry("torn", 1));
  }

  @Test
  void anOrderOfAStatementThatFailedIsUnexpected() {
    orders.put(FAILING, 1);

    assertThat(violations()).containsExactly(Map.entry("unexpected", 1));
  }

  @Test
  void aProgressThatIsNotAtTheEndOfTheQueueIsReported() {
    progress.put(0, 4L);

    assertThat(violations()).containsExactly(Map.entry("progress", 1));
  }

  @Test
  void aDeadLetterIsUnexpected() {
    deadLetters = 1;

    assertThat(violations()).containsExactly(Map.entry("unexpected", 1));
  }

  @Test
  void aFailureThatIsNotListedIsLost() {
    failed.removeFirst();

    assertThat(violations()).containsExactly(Map.entry("lost", 1));
  }

  @Test
  void aFailureThatIsListedTwiceIsADuplicate() {
    failed.add(failed.getFirst());

    assertThat(violations()).containsExactly(Map.entry("duplicate", 1));
  }

  @Test
  void aRepeatedAnswerIsNotASeparateFailure() {
    failed.add(new Place(1, 6));

    assertThat(violations()).containsExactly(Map.entry("unexpected", 1));
  }
}
