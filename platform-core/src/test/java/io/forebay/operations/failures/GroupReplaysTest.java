/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Replays of failures in memory, whose outcomes a test sets. */
class GroupReplaysTest {

  private static final Actor OLGA = new Actor(Actor.Kind.USER, "olga", "operator", "here");

  private final StoredFailures stored = new StoredFailures();
  private final Failures failures = new Failures(List.of(stored));
  private final Entries audit = new Entries();
  private final GroupReplays replays = new GroupReplays(failures, audit);

  @AfterEach
  void close() {
    audit.awayFor = 0;
    replays.close();
  }

  /** All open messages, in the order in which they failed. */
  private Selection open() {
    return failures.select(
        new Failures.Filter("shop", "23505", Failure.State.OPEN),
        StoredFailures.AT.plusSeconds(60));
  }

  private GroupReplay replay(Selection selection, double perSecond) {
    return replays.start(selection, new GroupReplay.Order(OLGA, "fixed", perSecond, 3, false));
  }

  private List<String> add(int count) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(stored.add(0, i));
    }
    return ids;
  }

  private static GroupReplay.Progress ended(GroupReplay replay) {
    await().until(() -> !replay.isRunning());
    return replay.progress();
  }

  @Test
  void sentMessagesCountAtOnceAndAPartitionThatIsBehindHidesNoOutcome() {
    String behind = stored.add(0, 1); // sent first
    String second = stored.add(1, 2);
    String third = stored.add(1, 3);
    GroupReplay replay = replay(open(), 1_000);
    await().until(() -> replay.progress().sent() == 3);
    stored.outcome(second, Failure.Outcome.DONE);
    stored.outcome(third, Failure.Outcome.FAILED);
    await().until(() -> replay.progress().done() == 1 && replay.progress().failed() == 1);
    assertThat(replay.isRunning()).isTrue();
    stored.outcome(behind, Failure.Outcome.DONE);
    assertThat(ended(replay).done()).isEqualTo(2);
  }

  @Test
  void theBrakeWorksAtAnyRateAlsoIfSendingIsSlowerThanOrdered() {
    add(100);
    stored.outcome = Failure.Outcome.FAILED;
    stored.slowness = Duration.ofMillis(2);
    GroupReplay.Progress now = ended(replay(open(), 1_000));
    assertThat(now.state()).isEqualTo(GroupReplay.State.FAILED);
    assertThat(now.sent()).isEqualTo(3);
    assertThat(now.failed()).isEqualTo(3);
    assertThat(now.text()).isEqualTo("Stopped at 3 of 100: 3 messages in a row failed again.");
    assertThat(audit.result().target()).isEqualTo("failed 23505 of shop, 100 messages");
    assertThat(audit.result().outcome())
        .startsWith(
            "failed: 3 of 100 sent, 0 performed, 3 failed again, 0 with unknown outcome, ended at 20")
        .endsWith("Z. Stopped at 3 of 100: 3 messages in a row failed again.");
  }

  @Test
  void fewOutcomesAreUnknownUntilMessagesTakeEffect() {
    List<String> ids = add(100);
    GroupReplay replay = replay(open(), 1_000);
    await().until(() -> replay.progress().sent() == 3);
    int looks = stored.looks.get();
    await().until(() -> stored.looks.get() >= looks + 10); // with nothing known, no more are sent
    assertThat(replay.progress().sent()).isEqualTo(3);
    stored.outcome(ids.get(0), Failure.Outcome.DONE);
    stored.outcome(ids.get(1), Failure.Outcome.DONE);
    await().until(() -> replay.progress().sent() == 2 + 5);
    stored.outcome(ids.get(2), Failure.Outcome.FAILED);
    stored.outcome(ids.get(3), Failure.Outcome.FAILED);
    stored.outcome(ids.get(4), Failure.Outcome.FAILED);
    await().until(() -> replay.progress().failed() == 3);
    assertThat(replay.isRunning()).as("it waits for the outcome of those sent").isTrue();
    stored.outcome(ids.get(5), Failure.Outcome.DONE);
    stored.outcome(ids.get(6), Failure.Outcome.FAILED);
    GroupReplay.Progress now = ended(replay);
    assertThat(now.sent()).isEqualTo(7);
    assertThat(now.done()).isEqualTo(3);
    assertThat(now.failed()).isEqualTo(4);
    assertThat(now.text()).isEqualTo("Stopped at 7 of 100: 3 messages in a row failed again.");
  }

  /** From it the page says how long the rest takes, also if sending is slower than ordered. */
  @Test
  void theRateOfAReplayIsThatOfTheMessagesSentLast() {
    add(100);
    stored.outcome = Failure.Outcome.DONE;
    stored.slowness = Duration.ofMillis(20);
    GroupReplay replay = replay(open(), 1_000);
    assertThat(replay.progress().perSecond()).isZero();
    await().until(() -> replay.progress().sent() >= 30);
    assertThat(replay.progress().perSecond()).isBetween(1.0, 50.0);
    replay.stop("olga");
  }

  /** Each transaction takes 30 ms. */
  @Test
  void aReplayKeepsItsRateWithADistantDatabase() {
    add(100);
    stored.outcome = Failure.Outcome.DONE;
    stored.distance = Duration.ofMillis(30);
    GroupReplay replay = replay(open(), 50);
    await().until(() -> replay.progress().sent() >= 20); // at first few outcomes may be unknown
    long begun = System.nanoTime();
    int before = replay.progress().sent();
    assertThat(ended(replay).done()).isEqualTo(100);
    assertThat((100 - before) / ((System.nanoTime() - begun) / 1e9)).isBetween(40.0, 70.0);
  }

  @Test
  void aReplayStopsOnCommandBeforeTheFirstMessage() {
    add(10);
    GroupReplay replay = replay(open(), 0.01);
    replay.stop("olga");
    assertThat(ended(replay).text()).isEqualTo("Stopped at 0 of 10 by olga.");
  }

  @Test
  void messagesThatSomebodyElseReplayedOrDiscardedMeanwhileAreLeftOutAtOnce() {
    List<String> ids = add(100);
    Selection selection = open();
    ids.subList(0, 50).forEach(id -> failures.replay(id, "otto"));
    failures.decideAll(ids.subList(50, 100), Failure.State.DISCARDED, "otto", "");
    GroupReplay.Progress now = ended(replay(selection, 1)); // with a pace this would take 100 s
    assertThat(now.state()).isEqualTo(GroupReplay.State.DONE);
    assertThat(now.sent()).isZero();
    assertThat(failures.find(ids.getFirst()).orElseThrow().replay().by()).isEqualTo("otto");
  }

  @Test
  void onlyAdministratorsReplayWhatWasReplayedThreeTimes() {
    List<String> ids = add(3);
    stored.replayedBefore(ids.get(1), 3);
    stored.outcome = Failure.Outcome.DONE;
    GroupReplay.Progress operators = ended(replay(open(), 1_000));
    assertThat(operators.sent()).isEqualTo(2);
    assertThat(ended(replay(open(), 1_000)).text()).startsWith("Nothing was sent: ");
    GroupReplay.Order order = new GroupReplay.Order(OLGA, "fixed", 1_000, 3, true);
    assertThat(ended(replays.start(open(), order)).sent()).isEqualTo(1);
  }

  @Test
  void theAuditNamesTheGroup() {
    stored.add(0, 1);
    assertThat(open().target()).isEqualTo("failed 23505 of shop, 1 message");
    Failures.Cause cause = new Failures.Cause("orders.place", "table orders");
    Failures.Filter filter = new Failures.Filter("shop", "23505", cause, Failure.State.OPEN);
    assertThat(failures.select(filter, StoredFailures.AT).target())
        .isEqualTo("failed 23505 of shop (orders.place table orders), 0 messages");
  }

  @Test
  void aServiceHasOneReplayAtATime() {
    add(2);
    GroupReplay replay = replay(open(), 0.01);
    assertThat(replays.lately()).containsExactly(replay);
    assertThat(replays.find(replay.id())).containsSame(replay);
    assertThatThrownBy(() -> replay(open(), 1_000))
        .isInstanceOf(DecisionRefused.class)
        .hasMessage(
            "a replay of shop is running (started by olga, 0 of 2 sent); wait until it ends, or stop it");
    replay.stop("olga");
    ended(replay);
    assertThat(replays.lately()).as("its result is still shown").containsExactly(replay);
    stored.outcome = Failure.Outcome.DONE;
    assertThat(ended(replay(open(), 1_000)).done()).isEqualTo(2);
  }

  @Test
  void messagesThatCannotBeSentAreNotCountedAsSent() {
    add(7);
    stored.refuses = true;
    GroupReplay.Progress now = ended(replay(open(), 1_000));
    assertThat(now.state()).isEqualTo(GroupReplay.State.FAILED);
    assertThat(now.sent()).isZero();
    assertThat(now.failed()).isZero();
    assertThat(now.text()).startsWith("Stopped at 0 of 7: 3 messages in a row could not be sent: ");
    assertThat(audit.result().outcome())
        .startsWith("failed: 0 of 7 sent, 0 performed, 0 failed again");
  }

  @Test
  void anOutageEndsAReplayWithItsPlaceAndTheAuditHasTheResultLater() {
    add(5);
    stored.awayAfter = 2;
    Selection selection = open();
    audit.awayFor = 1;
    GroupReplay replay = replay(selection, 1_000);
    assertThat(ended(replay).text()).isEqualTo("Stopped at 2 of 5: the database is away.");
    assertThat(audit.result().outcome())
        .startsWith(
            "failed: 2 of 5 sent, 0 performed, 0 failed again, 2 with unknown outcome, ended at "
                + replay.progress().ended())
        .endsWith(". Stopped at 2 of 5: the database is away.");
  }

  @Test
  void afterTheProcessStoppedTheNextReplayOfTheGroupSendsTheOthersOnce() {
    List<String> ids = add(20);
    Selection counted = open();
    GroupReplay first = replay(counted, 20);
    await().until(() -> first.progress().sent() == 3);
    stored.outcome = Failure.Outcome.DONE;
    ids.subList(0, 3).forEach(id -> stored.outcome(id, Failure.Outcome.DONE));
    await().until(() -> first.progress().sent() > 3);
    replays.close();
    int sent = first.progress().sent();

    GroupReplays restarted = new GroupReplays(failures, audit);
    Selection rest = open();
    assertThat(rest.ids()).isEqualTo(ids.subList(sent, 20));
    assertThat(rest.fingerprint()).isNotEqualTo(counted.fingerprint());
    GroupReplay.Order order = new GroupReplay.Order(OLGA, "fixed", 1_000, 3, false);
    assertThat(ended(restarted.start(rest, order)).done()).isEqualTo(20 - sent);
    assertThat(ids)
        .allSatisfy(id -> assertThat(failures.find(id).orElseThrow().replays()).isEqualTo(1));
    restarted.close();
  }

  /** An audit that is unavailable for a while when a replay ends. */
  private static final class Entries implements Audit {

    private final List<Entry> all = new CopyOnWriteArrayList<>();
    private volatile int awayFor;

    @Override
    public void record(Entry entry) {
      if (entry.action().equals("failures.replay.result") && awayFor-- > 0) {
        throw new Unavailable("the audit is away", new IllegalStateException());
      }
      all.add(entry);
    }

    Entry result() {
      await()
          .until(() -> all.stream().anyMatch(it -> it.action().equals("failures.replay.result")));
      return all.getLast();
    }

    @Override
    public List<Recorded> before(long before, int limit, Filter filter) {
      return List.of();
    }
  }
}
