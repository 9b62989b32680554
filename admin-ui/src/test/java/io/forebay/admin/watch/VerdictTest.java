/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doReturn;

import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.DatabaseAway;
import io.forebay.admin.verdict.Problem;
import io.forebay.admin.verdict.Sentences;
import io.forebay.admin.verdict.Verdict;
import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.AlertRule;
import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.Runway;
import io.forebay.capacity.series.RingLengths;
import io.forebay.operations.DesiredState;
import io.forebay.operations.failures.Failures;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.QueueUnavailable;
import io.forebay.report.Host;
import io.forebay.report.OpenFailures;
import io.forebay.report.ServiceReport;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Verdicts and alerts, and when they open and close. */
class VerdictTest {

  private static final RingLengths LENGTHS =
      new RingLengths(Duration.ofMinutes(15), Duration.ofHours(1), Duration.ofHours(2));

  private static final String CALLERS =
      " Their callers got the error; other statements do not wait for them.";

  private final SimulatedServices services =
      new SimulatedServices(LENGTHS, "ledger", "mail", "orders-post");
  private final SimulatedServices.Simulated orders = services.all.getLast();

  @Test
  void oneSentenceReportsThatAllKeepUpAndTheLeastRoomIsAHint() {
    services.all.getFirst().performs = 200;
    Snapshot snapshot = services.run(120);
    assertThat(snapshot.verdict().severity()).isEqualTo(Severity.FINE);
    assertThat(snapshot.verdict().problems()).isEmpty();
    assertThat(snapshot.verdict().text()).isEqualTo("All 3 services keep up.");
    assertThat(snapshot.headroom()).as("no capacity was measured").isNull();
    services.all.forEach(it -> it.performs = it.name().equals("ledger") ? 200 : 800);
    services.all.forEach(it -> it.accepts = 1500);
    services.run(90);
    services.all.forEach(it -> it.accepts = 100);
    snapshot = services.run(1900);
    assertThat(snapshot.headroom())
        .satisfies(it -> {
          assertThat(it.service()).isEqualTo("ledger");
          assertThat(it.text())
              .matches(
                  "Least headroom: ledger stays within its limit for 1 m 15 s of a 10× burst"
                      + " \\(1,000/s\\) if its capacity is 200/s \\(measured under a backlog"
                      + " that ended \\d+ minutes ago\\)\\.");
        });
    SimulatedServices.Simulated ledger = services.all.getFirst();
    ledger.outRefusal = new QueueStats.Refusal(QueueRefused.Reason.DISK, Double.NaN, services.now);
    Snapshot full = services.run(1);
    assertThat(full.headroom())
        .as("a service whose disk is full accepts nothing")
        .extracting(Snapshot.Headroom::service)
        .isEqualTo("mail");
    assertThat(full.services())
        .filteredOn(it -> it.report().name().equals("ledger"))
        .singleElement()
        .satisfies(it -> {
          assertThat(it.burst().accepts()).isEqualTo(Figure.measured(new Until.Passed()));
          assertThat(it.burst().onTime()).isInstanceOf(Figure.Unknown.class);
        });
    ledger.outRefusal = null;
    ledger.phase = Phase.PAUSED;
    assertThat(services.run(1).headroom())
        .as("a paused service performs nothing")
        .extracting(Snapshot.Headroom::service)
        .isEqualTo("mail");
    assertThat(snapshot.recordedSince()).isEqualTo(SimulatedServices.START.plusSeconds(1));
  }

  /** Five idle services must not hide one whose workers are busy. */
  @Test
  void theDatabaseIsAsBusyAsTheBusiestService() {
    orders.accepts = 960;
    Snapshot.Database database = services.run(120).tiles().database();
    assertThat(database.busy().known().orElseThrow()).isGreaterThan(0.9);
    assertThat(database.service()).isEqualTo("orders-post");
    assertThat(database.text()).isEqualTo("orders-post, the busiest of 3 services");
  }

  @Test
  void aServiceThatFallsBehindIsWatchedThenBadAndIsTheFirstRow() {
    orders.accepts = 2000;
    orders.performs = 1650;
    Snapshot watched = services.run(1440);
    Problem problem = watched.verdict().problems().getFirst();
    assertThat(problem.text())
        .isEqualTo(
            "orders-post is 4 m 12 s behind and growing: accepts 2,000/s, performs"
                + " 1,650/s. Passes its 5 m limit in about 4 m 34 s.");
    assertThat(problem.severity()).isEqualTo(Severity.WATCH);
    assertThat(watched.verdict().text()).isEqualTo("Watch orders-post (1 of 3 services).");
    Snapshot bad = services.run(60);
    assertThat(bad.verdict().text()).isEqualTo("orders-post needs attention (1 of 3 services).");
    assertThat(bad.services().getFirst().report().name()).isEqualTo("orders-post");
    assertThat(bad.services().getFirst().severity()).isEqualTo(Severity.BAD);
    Snapshot past = services.run(300);
    assertThat(past.verdict().problems()).hasSize(1);
    assertThat(past.verdict().problems().getFirst().text())
        .contains("past its 5 m limit, and growing")
        .endsWith("It does not catch up at this rate.");
  }

  @Test
  void theProblemNamesWhatTakesMostOfTheDatabasesTimeUntilItCatchesUp() {
    orders.accepts = 2000;
    orders.performs = 1650;
    orders.statements.put("orders.find", 0.2);
    orders.statements.put("orders.place", 0.625);
    assertThat(services.run(1440).verdict().problems().getFirst().text())
        .endsWith(
            " Passes its 5 m limit in about 4 m 34 s. Statement orders.place takes 63 % of the"
                + " database's time; see Slowest statements.");
    orders.statements.put("orders.place", 0.1);
    assertThat(services.run(300).verdict().problems().getFirst().text())
        .contains(" Ledger and commit take ");
    orders.performs = 2700;
    assertThat(services.run(60).verdict().problems().getFirst().text())
        .contains("catching up")
        .doesNotContain("database's time");
  }

  @Test
  void manyMoreMessagesThanUsualAreNamedInsteadOfAStatement() {
    orders.statements.put("orders.place", 0.625);
    services.run(300);
    orders.accepts = 1200;
    assertThat(services.run(60).verdict().problems().getFirst().text())
        .contains("accepts 1,200/s")
        .contains(" That is 12 times the usual intake.")
        .doesNotContain("orders.place");
  }

  @Test
  void aDatabaseThatIsSlowerThanUsualIsSaidToBeSoAlsoIfNothingWaits() {
    orders.performs = 640;
    services.run(240);
    orders.accepts = 1000;
    services.run(180);
    orders.accepts = 100;
    services.run(400);
    orders.performs = 105;
    assertThat(services.run(12).verdict().problems())
        .filteredOn(it -> it.kind() == AlertKind.DATABASE)
        .singleElement()
        .satisfies(it ->
            assertThat(it.text())
                .startsWith(
                    "The database of orders-post is slower than usual: a message takes 6.1 times as"
                        + " long; it performs 105/s at most instead of 640/s."));
    assertThat(services.run(1).services())
        .filteredOn(it -> it.report().name().equals("orders-post"))
        .singleElement()
        .satisfies(
            it -> assertThat(it.report().slowerNow().perSecond()).isCloseTo(105, within(0.1)));
  }

  @Test
  void aServiceThatHasCaughtUpIsNoProblemButIsNamedForAWhile() {
    orders.accepts = 2000;
    orders.performs = 1650;
    services.run(1800);
    orders.performs = 100_000;
    services.run(20);
    Verdict verdict = services.run(20).verdict();
    assertThat(verdict.problems())
        .noneMatch(it -> it.kind() == AlertKind.LATE || it.kind() == AlertKind.BEHIND);
    assertThat(verdict.recovered())
        .singleElement()
        .satisfies(it ->
            assertThat(it)
                .matches("orders-post recovered \\d+ s ago; messages were late for 1 m \\d+ s\\."));
    orders.outRefusal = new QueueStats.Refusal(QueueRefused.Reason.DISK, Double.NaN, services.now);
    assertThat(services.run(1).verdict().recovered()).as("its disk is full").isEmpty();
    orders.outRefusal = null;
    assertThat(services.run(1).verdict().recovered()).hasSize(1);
    assertThat(services.run(320).verdict().recovered()).isEmpty();
  }

  @Test
  void aServiceThatStillCatchesUpHasNotRecovered() {
    orders.accepts = 2000;
    orders.performs = 1650;
    services.run(1800);
    orders.performs = 2700;
    Snapshot snapshot = services.run(60);
    assertThat(state(snapshot)).isEqualTo("draining");
    while (state(snapshot).equals("draining")) {
      assertThat(snapshot.verdict().recovered()).isEmpty();
      assertThat(snapshot.verdict().severity()).isNotEqualTo(Severity.FINE);
      assertThat(snapshot.verdict().problems().getFirst().text())
          .contains("catching up", "Nothing to do: catches up in about");
      snapshot = services.run(5);
    }
    assertThat(snapshot.verdict().problems())
        .noneMatch(it -> it.kind() == AlertKind.LATE || it.kind() == AlertKind.BEHIND);
    assertThat(snapshot.verdict().recovered())
        .singleElement()
        .satisfies(it -> assertThat(it).matches("orders-post recovered [0-4] s ago; .*"));
  }

  @Test
  void theLatestRecoveryComesFirst() {
    SimulatedServices.Simulated ledger = services.all.getFirst();
    for (SimulatedServices.Simulated one : List.of(ledger, orders)) {
      one.accepts = 2000;
      one.performs = 1650;
    }
    services.run(1800);
    for (SimulatedServices.Simulated one : List.of(ledger, orders)) {
      one.performs = 100_000;
      services.run(40);
    }
    assertThat(services.run(1).verdict().recovered())
        .satisfiesExactly(
            it -> assertThat(it).startsWith("orders-post recovered "),
            it -> assertThat(it).startsWith("ledger recovered "));
  }

  private static String state(Snapshot snapshot) {
    return orders(snapshot).report().state().name().toLowerCase(Locale.ROOT);
  }

  private static Snapshot.Service orders(Snapshot snapshot) {
    return snapshot.services().stream()
        .filter(it -> it.report().name().equals("orders-post"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aStateIsShownSinceItBeganAndABreakDoesNotMoveThat() {
    assertThat(orders(services.run(60)).since()).isEqualTo(SimulatedServices.START);
    orders.accepts = 2000;
    orders.performs = 1650;
    Snapshot snapshot = services.run(1);
    while (!state(snapshot).equals("growing")) {
      snapshot = services.run(1);
    }
    Instant began = services.now;
    assertThat(Duration.between(SimulatedServices.START, began))
        .as("at 5 s behind, a twentieth of the limit or less")
        .isBetween(Duration.ofSeconds(61), Duration.ofSeconds(95));
    assertThat(orders(services.run(300)).since()).isEqualTo(began);
    orders.performs = 2400;
    assertThat(state(services.run(6))).isEqualTo("draining");
    orders.performs = 1650;
    snapshot = services.run(12);
    assertThat(state(snapshot)).isEqualTo("growing");
    assertThat(orders(snapshot).since()).isEqualTo(began);
    orders.phase = Phase.PAUSED;
    orders.since = services.now;
    assertThat(orders(services.run(20)).since()).isEqualTo(orders.since);
    orders.phase = Phase.RUNNING;
    orders.since = services.now;
    assertThat(orders(services.run(5)).since()).isEqualTo(orders.since);
  }

  @Test
  void aBurstIsReportedWithinFiveSecondsAndItsEndIsNotRed() {
    services.run(300);
    orders.accepts = 50_000;
    Problem problem = services.run(5).verdict().problems().getFirst();
    assertThat(problem.kind()).isEqualTo(AlertKind.LATE);
    orders.accepts = 0;
    orders.performs = 100_000;
    Verdict after = services.run(15).verdict();
    assertThat(after.severity()).isEqualTo(Severity.FINE);
    assertThat(after.recovered())
        .singleElement()
        .satisfies(it -> assertThat(it).endsWith("no message waited longer than its limit."));
  }

  /** Nothing is known of the capacity, because the service never had a backlog. */
  @Test
  void aTenfoldBurstIsNeverGreenFromTheFifthSecondOn() {
    orders.accepts = 25;
    orders.performs = 119;
    services.run(30);
    orders.accepts = 228;
    services.run(4);
    for (int second = 5; second < 120; second++) {
      Snapshot snapshot = services.run(1);
      Verdict verdict = snapshot.verdict();
      assertThat(verdict.problems())
          .as("%d s", second)
          .first()
          .satisfies(it -> {
            assertThat(it.kind()).isIn(AlertKind.LATE, AlertKind.BEHIND);
            assertThat(it.text()).contains("behind and growing", "Passes its 5 m limit in about");
          });
      assertThat(verdict.recovered()).isEmpty();
      assertThat(orders(snapshot).severity()).isNotEqualTo(Severity.FINE);
      assertThat(orders(snapshot).report().state()).isEqualTo(ServiceReport.State.GROWING);
    }
  }

  @Test
  void theHeadlineNamesWhatCatchesUpAndNothingRecoversBefore() {
    services.run(300);
    orders.accepts = 3000;
    services.run(20);
    orders.accepts = 100;
    Snapshot snapshot = services.run(13);
    List<ServiceReport> reports =
        snapshot.services().stream().map(Snapshot.Service::report).toList();
    assertThat(Verdict.of(reports, List.of(), List.of()).text())
        .as("without an alert")
        .matches("2 of 3 services keep up; orders-post catches up in about \\d+ s\\.");
    assertThat(snapshot.verdict().recovered()).isEmpty();
    snapshot = services.run(60);
    assertThat(snapshot.verdict().text()).isEqualTo("All 3 services keep up.");
    assertThat(snapshot.verdict().recovered()).hasSize(1);
    orders.accepts = 30_000;
    assertThat(services.run(4).verdict().recovered()).as("it grows again").isEmpty();
  }

  /** The wait rises until the last message of the burst is performed. */
  @Test
  void oneSentenceSaysThatItCatchesUpAndThatTheOldestWaitStillRises() {
    services.run(300);
    orders.accepts = 20_000;
    services.run(13);
    orders.accepts = 100;
    assertThat(text(services.run(15)))
        .endsWith("; until then the oldest wait still rises, within the 5 m limit.");
    orders.accepts = 20_000;
    services.run(7);
    orders.accepts = 100;
    assertThat(text(services.run(15)))
        .containsPattern(
            "It catches up in about \\S+( \\S+)*, but passes the 5 m limit in about .*; inform those");
    assertThat(text(services.run(290)))
        .contains("behind, past its 5 m limit, and catching up: ")
        .containsPattern(
            "Nothing to do: catches up in about .*; until then the oldest wait still rises\\.");
  }

  private static String text(Snapshot snapshot) {
    return snapshot.verdict().problems().getFirst().text();
  }

  @Test
  void chanceAtASmallRateIsNoAlert() {
    orders.accepts = 20;
    services.run(60);
    for (int second = 0; second < 60; second++) {
      orders.performs = second % 4 < 2 ? 0.001 : 100;
      Snapshot snapshot = services.run(1);
      assertThat(snapshot.verdict().text()).isEqualTo("All 3 services keep up.");
      assertThat(orders(snapshot).report().state()).isEqualTo(ServiceReport.State.KEEPING_UP);
    }
  }

  @Test
  void manyFailuresAreAnAlertWithinFiveSecondsAndFewWait() {
    services.run(60);
    services.run(1);
    orders.failed += 20;
    assertThat(services.run(1).verdict().problems()).as("4 %").isEmpty();
    orders.failed += 20;
    services.run(1);
    orders.failed += 20;
    Problem problem = services.run(1).verdict().problems().getFirst();
    assertThat(problem.kind()).isEqualTo(AlertKind.FAILING);
    assertThat(problem.text())
        .isEqualTo(
            "orders-post: 12 % of statements fail, 60 in the last minute; see Failed. Their callers"
                + " got the error; other statements do not wait for them.");
    SimulatedServices.Simulated mail = services.all.get(1);
    for (int second = 0; second < 10; second++) {
      mail.failed += 3;
      assertThat(services.run(1).verdict().problems()).noneMatch(it -> "mail".equals(it.service()));
    }
    services.run(60);
    assertThat(text(services.run(1)))
        .startsWith("orders-post: 60 of ")
        .endsWith(
            "failed in the last 15 minutes, the last one 1 m 11 s ago; see Failed. Their callers got"
                + " the error. The alert closes soon.");
  }

  @Test
  void pastItsLimitIsBadAtOnceAndSoIsItsBurst() {
    services.run(60);
    orders.performs = 1;
    services.sample(310);
    Snapshot snapshot = services.run(2);
    assertThat(text(snapshot)).contains("past its 5 m limit, and growing");
    assertThat(snapshot.verdict().problems().getFirst().severity()).isEqualTo(Severity.BAD);
    assertThat(orders(snapshot).burst().onTime()).isEqualTo(Figure.measured(new Until.Passed()));
  }

  @Test
  void servicesThatNeedAnOperatorComeFirst() {
    orders.accepts = 2000;
    orders.performs = 1650;
    services.run(1500);
    services.all.get(0).phase = Phase.WAITING;
    services.all.get(1).phase = Phase.FAILED;
    Snapshot snapshot = services.run(1);
    assertThat(snapshot.verdict().text()).isEqualTo("3 of 3 services need attention, mail first.");
    assertThat(snapshot.verdict().problems())
        .extracting(Problem::kind)
        .containsExactly(AlertKind.FAILED, AlertKind.LATE, AlertKind.WAITING);
    assertThat(snapshot.services().getFirst().report().state())
        .isEqualTo(ServiceReport.State.FAILED);
    assertThat(snapshot.services().getFirst().report().reason()).isEmpty();
  }

  @Test
  void theWorstServiceIsFirstThenTheOneThatIsInTroubleSoonerThenByName() {
    assertThat(names(services.run(1))).containsExactly("ledger", "mail", "orders-post");
    orders.accepts = 2000;
    orders.performs = 1650;
    services.run(1440);
    services.all.get(1).accepts = 0;
    services.all.get(1).phase = Phase.WAITING;
    Snapshot snapshot = services.run(1);
    assertThat(snapshot.services())
        .extracting(Snapshot.Service::severity)
        .containsExactly(Severity.BAD, Severity.WATCH, Severity.FINE);
    assertThat(names(snapshot))
        .as("orders-post will be late, but mail is worse although nothing waits there")
        .containsExactly("mail", "orders-post", "ledger");
  }

  private static List<String> names(Snapshot snapshot) {
    return snapshot.services().stream().map(it -> it.report().name()).toList();
  }

  @Test
  void servicesWithNearlyTheSameTimeToTroubleDoNotChangePlaces() {
    SimulatedServices.Simulated mail = services.all.get(1);
    List.of(mail, orders).forEach(it -> it.accepts = 2000);
    Set<String> texts = new TreeSet<>();
    for (int seconds = 0; seconds < 1440; seconds += 20) {
      boolean even = seconds / 20 % 2 == 0;
      mail.performs = even ? 1645 : 1655;
      orders.performs = even ? 1655 : 1645;
      String text = services.run(20).verdict().text();
      if (seconds > 1300) {
        texts.add(text);
      }
    }
    assertThat(texts).singleElement().asString().startsWith("Watch 2 of 3 services, ");
    mail.performs = 1000;
    assertThat(services.run(20).verdict().text()).endsWith("mail first.");
    orders.performs = 0;
    assertThat(services.run(40).verdict().text()).endsWith("orders-post first.");
  }

  @Test
  void aUsualBurstThatWouldBeLateNeverGetsWorseThanWatch() {
    assertThat(AlertKind.BURST.rule()).returns(AlertKind.BURST.rule().watch(), AlertRule::bad);
  }

  @Test
  void aRecoveryDoesNotCountTheLateTimeOfAnEarlierOne() {
    orders.accepts = 2000;
    orders.performs = 1650;
    services.run(1800);
    orders.accepts = 100;
    orders.performs = 100_000;
    assertThat(services.run(60).verdict().recovered())
        .singleElement()
        .asString()
        .contains("messages were late for ");
    orders.performs = 0;
    services.run(200);
    orders.performs = 100_000;
    assertThat(services.run(20).verdict().recovered())
        .singleElement()
        .asString()
        .endsWith("no message waited longer than its limit.");
  }

  @Test
  void aSlowDatabaseIsToldWithWhatItMeansAndItsEnd() {
    orders.accepts = 100;
    services.run(600);
    orders.performs = 101;
    Problem problem = services.run(40).verdict().problems().getFirst();
    assertThat(problem.kind()).isEqualTo(AlertKind.DATABASE);
    assertThat(problem.text())
        .matches(
            "The database of orders-post is slower than usual: a message takes 9.\\d* times as long\\."
                + " No message is late: the oldest has waited for \\S+ \\S+ \\(limit 5 m\\)\\.");
    orders.performs = 1000;
    Verdict after = services.run(20).verdict();
    assertThat(after.problems()).isEmpty();
    assertThat(after.recovered())
        .singleElement()
        .asString()
        .matches(
            "orders-post recovered \\d+ s ago: its database was slower than usual for 3\\d s;"
                + " no message waited longer than its limit\\.");
  }

  @Test
  void aStatementThatTakesLongerThanUsualIsNamedAsTheCause() {
    orders.accepts = 100;
    orders.statements.put("orders.find", 0.05);
    orders.statements.put("orders.place", 0.04);
    services.run(600);
    orders.performs = 101;
    orders.statements.put("orders.find", 0.4);
    orders.statements.put("orders.place", 0.5);
    assertThat(services.run(90).verdict().problems().getFirst().text())
        .matches(
            ".* In the last minute, statement orders.place took \\S+ \\S+ instead of \\S+ \\S+ as usual; see Slowest"
                + " statements\\.");
  }

  /** Else it would seem to be part of the problem. */
  @Test
  void aRecoveryIsNotToldBesideAnotherProblemOfTheService() {
    orders.accepts = 2000;
    orders.performs = 1650;
    services.run(1800);
    orders.accepts = 100;
    orders.performs = 100_000;
    assertThat(services.run(60).verdict().recovered()).hasSize(1);
    orders.dead = 3;
    Verdict verdict = services.run(20).verdict();
    assertThat(verdict.problems()).extracting(Problem::kind).contains(AlertKind.DEAD);
    assertThat(verdict.recovered()).isEmpty();
  }

  @Test
  void aServiceThatWasJustResumedIsNotCalledSteady() {
    services.run(60);
    services.desired.add(new DesiredState("orders-post", true, "migration", "olga", services.now));
    services.services.follow();
    orders.performs = 0;
    services.run(400);
    services.desired.add(new DesiredState("orders-post", false, "", "olga", services.now));
    services.services.follow();
    orders.performs = 0.001;
    assertThat(services.run(2).verdict().problems().getFirst().text())
        .isEqualTo(
            "orders-post is 6 m 42 s behind, past its 5 m limit. When it catches up is unknown: the"
                + " first batch has run for 2 s.");
  }

  @Test
  void aPausedServiceIsNotForgotten() {
    services.run(60);
    services.desired.add(new DesiredState("orders-post", true, "migration", "olga", services.now));
    services.services.follow();
    orders.performs = 0;
    assertThat(services.run(10).verdict().problems())
        .singleElement()
        .satisfies(it -> assertThat(it.severity()).isEqualTo(Severity.WATCH))
        .extracting(Problem::text)
        .asString()
        .startsWith(
            "orders-post has been paused by olga for 10 s, until somebody resumes it: migration. Messages are still accepted. The oldest message passes the 5 m limit in 4 m 50 s. Ask olga ");
    assertThat(services.run(292).verdict().problems().getFirst().severity())
        .as("as soon as its oldest message is late")
        .isEqualTo(Severity.BAD);
    Problem problem = services.run(8).verdict().problems().getFirst();
    assertThat(problem.kind()).isEqualTo(AlertKind.PAUSED);
    assertThat(problem.text())
        .startsWith(
            "orders-post has been paused by olga for 5 m 10 s, until somebody resumes it: migration. Messages are still accepted. The oldest message has waited");
    DesiredState upgrade =
        new DesiredState("orders-post", true, "upgrade", "paul", services.now)
            .replacing(services.desired.getFirst());
    services.desired.set(0, upgrade);
    services.services.follow();
    assertThat(services.run(49).verdict().problems().getFirst().text())
        .startsWith(
            "orders-post has been paused by olga for 5 m 59 s: migration; paul replaced the pause 49 s ago, until somebody resumes it: upgrade. Messages are still accepted. The oldest message has waited");
  }

  @Test
  void aPauseWithAnEndSaysWhenItEndsAndWhenItsMessagesAreLate() {
    services.run(60);
    services.desired.add(
        new DesiredState(
            "orders-post",
            true,
            "migration",
            "olga",
            services.now,
            services.now.plus(Duration.ofHours(8))));
    services.services.follow();
    orders.phase = Phase.PAUSED;
    orders.performs = 0;
    String late = Sentences.clock(services.now.plusSeconds(300), services.now);
    String end = Sentences.clock(services.now.plus(Duration.ofHours(8)), services.now);
    assertThat(services.run(200).verdict().problems().getFirst().text())
        .isEqualTo(
            "orders-post is paused until %s UTC by olga: migration; its oldest message will be late at %s."
                .formatted(end, late));
    assertThat(services.run(200).verdict().problems().getFirst().text())
        .endsWith("; its oldest message is past the 5 m limit.");
  }

  @Test
  void aShortPauseIsNoAlertAfterItsEnd() {
    services.run(60);
    orders.phase = Phase.PAUSED;
    orders.performs = 0;
    services.run(60);
    orders.phase = Phase.RUNNING;
    orders.performs = 100_000;
    assertThat(services.run(30).verdict().problems()).isEmpty();
  }

  /** Each retry may have another reason, and begins the state again. */
  @Test
  void aServiceThatWaitsIsBadAfterAMinuteWhateverTheReasons() {
    services.run(30);
    orders.performs = 0;
    orders.phase = Phase.WAITING;
    for (int second = 0; second < 58; second++) {
      orders.since = services.now;
      assertThat(services.run(1).verdict().severity()).as("%d s", second).isEqualTo(Severity.WATCH);
    }
    orders.since = services.now;
    assertThat(services.run(5).verdict().severity()).isEqualTo(Severity.BAD);
  }

  @Test
  void aServiceThatWaitsIsBadAtOnceIfItIsLateWithinAMinute() {
    orders.performs = 0;
    services.run(245);
    orders.phase = Phase.WAITING;
    orders.since = services.now;
    Problem problem = services.run(1).verdict().problems().getFirst();
    assertThat(problem.kind()).isEqualTo(AlertKind.WAITING);
    assertThat(problem.severity()).isEqualTo(Severity.BAD);
  }

  @Test
  void aDatabaseThatDoesNotRespondIsNamedWithTheTimeLeft() {
    services.properties.put(
        "forebay.gateways.orders-post.datasource.url",
        "jdbc:postgresql://db:5432/shop?user=me&password=secret");
    assertThat(services.run(30).databasesAway()).isEmpty();
    orders.performs = 0;
    orders.phase = Phase.WAITING;
    Snapshot away = services.run(20);
    assertThat(away.databasesAway()).hasSize(1);
    DatabaseAway one = away.databasesAway().getFirst();
    assertThat(one.services()).containsExactly("orders-post");
    assertThat(one.text())
        .isEqualTo(
            "The database postgresql://db:5432/shop of orders-post has not responded since 00:00:00 UTC.");
    assertThat(one.outlook())
        .isEqualTo(
            "So far: 50 s. Messages are accepted, and performed automatically when it responds; orders-post will be late in 4 m 40 s (limit 5 m).");
    assertThat(away.verdict().problems())
        .extracting(Problem::kind)
        .containsExactly(AlertKind.WAITING);
    Snapshot late = services.run(300);
    assertThat(late.databasesAway().getFirst().outlook())
        .contains("; orders-post is past its limit of 5 m.");
    assertThat(late.verdict().problems().getFirst().text())
        .startsWith("orders-post waits for its database. Messages are still accepted;");
    assertThat(orders(late).report().can()).isInstanceOf(Figure.Unknown.class);
    assertThat(orders(late).burst().onTime()).isInstanceOf(Figure.Unknown.class);
    services.all.getFirst().phase = Phase.WAITING;
    services.all.getFirst().since = services.now;
    Snapshot both = services.run(1);
    assertThat(both.databasesAway())
        .extracting(DatabaseAway::database)
        .containsExactlyInAnyOrder("postgresql://db:5432/shop", "of ledger");
    assertThat(both.verdict().text())
        .isEqualTo("2 of 3 services need attention, orders-post first.");
    assertThat(both.tiles().database().service()).isEqualTo("mail");
    services.all.getFirst().onDatabase = false;
    orders.phase = Phase.RUNNING;
    assertThat(services.run(1).databasesAway()).isEmpty();
  }

  /** Its pool connects again some seconds later. */
  @Test
  void theSystemDatabaseRespondsOnceAGatewayPerformsOnIt() {
    services.properties.put("forebay.system.datasource.url", "jdbc:postgresql://db:5432/shop");
    services.properties.put(
        "forebay.gateways.orders-post.datasource.url", "jdbc:postgresql://db:5432/shop");
    services.run(30);
    Instant since = services.now;
    Databases databases = new Databases(services.properties::get, Map.of(), _ -> since, null);
    orders.performs = 0;
    orders.phase = Phase.WAITING;
    assertThat(databases.away(reports(services.run(20)), services.now))
        .singleElement()
        .satisfies(it -> assertThat(it.system()).isTrue())
        .satisfies(it -> assertThat(it.services()).containsExactly("orders-post"));
    orders.performs = 1000;
    orders.phase = Phase.RUNNING;
    for (int second = 0; second < 6; second++) {
      assertThat(databases.away(reports(services.run(1)), services.now)).isEmpty();
    }
    assertThat(databases.away(reports(services.run(20)), services.now))
        .singleElement()
        .satisfies(it -> assertThat(it.services()).isEmpty());
  }

  private static List<ServiceReport> reports(Snapshot snapshot) {
    return snapshot.services().stream().map(it -> it.report()).toList();
  }

  @Test
  void theFirstBatchAfterTheReturnOfTheDatabaseIsNamed() {
    services.run(60);
    orders.performs = 0;
    orders.isAway = true;
    orders.phase = Phase.WAITING;
    orders.since = services.now;
    orders.reason =
        "the database of service orders-post is unavailable (SQLState 08001: refused. Check that the"
            + " hostname is correct.).";
    Snapshot away = services.run(170);
    assertThat(away.databasesAway().getFirst().outlook())
        .endsWith(
            " The error: the database of service orders-post is unavailable (SQLState 08001: refused).");
    orders.isAway = false;
    orders.phase = Phase.RUNNING;
    orders.reason = "the database responds again; performing the first batch";
    orders.performs = 1; // the batch that the outage interrupted
    services.run(1);
    orders.reason = "the current batch has run for 20 s: the database is slow or not responding";
    orders.performs = 0.001;
    Snapshot back = services.run(12);
    assertThat(back.databasesAway()).isEmpty();
    assertThat(orders(back).report().reason())
        .isEqualTo(
            "the database responds again (it was away for 2 m 51 s); performing the first batch");
    assertThat(orders(back).report().state()).isEqualTo(ServiceReport.State.RESUMING);
    assertThat(back.verdict().problems())
        .singleElement()
        .satisfies(it -> {
          assertThat(it.kind()).isEqualTo(AlertKind.WAITING);
          assertThat(it.text())
              .isEqualTo(
                  "orders-post: the database responds again (it was away for 2 m 51 s); 18,299"
                      + " messages wait, the first batch is being performed.");
        });
    assertThat(back.tiles().database().busy().known().orElseThrow())
        .as("the busiest service")
        .isEqualTo(1);
    assertThat(back.tiles().database().service()).isEqualTo("orders-post");
    orders.reason = "";
    orders.performs = 100_000;
    Verdict over = services.run(2).verdict();
    assertThat(over.problems()).isEmpty();
    assertThat(over.recovered())
        .containsExactly(
            "orders-post recovered just now: its database was away for 2 m 51 s, no message waited"
                + " longer than its limit; nothing was lost.");
  }

  @Test
  void aServiceWhoseOutQueueHasNoRoomDoesNotWaitForItsDatabase() {
    orders.performs = 0;
    orders.phase = Phase.WAITING;
    assertThat(services.run(1).databasesAway()).hasSize(1);
    orders.outRefusal = new QueueStats.Refusal(QueueRefused.Reason.DISK, Double.NaN, services.now);
    assertThat(services.run(1).databasesAway()).isEmpty();
  }

  /** A forecast of a minute ago would claim time that is not left. */
  @Test
  void theTimeUntilABurstFillsTheDiskFollowsTheForecastOfTheDisk() {
    services.run(120);
    Filling disk = new Filling();
    ServiceReports reports = new ServiceReports(services.services, services.watches, disk);
    for (int left : new int[] {55, 6, 0, 7_200}) {
      disk.left = Until.ofSeconds(left, "");
      assertThat(reports.at(services.now, null))
          .as("%d s", left)
          .allSatisfy(it ->
              assertThat(it.burst().then(BurstHeadroom::full))
                  .isEqualTo(Figure.measured(disk.left)));
    }
  }

  /** Its queue accepts messages again; the service notices with its next attempt. */
  @Test
  void aServiceWhoseResultWasRefusedDoesNotWaitForItsDatabase() {
    orders.performs = 0;
    orders.phase = Phase.WAITING;
    orders.waitsFor =
        new QueueRefused(QueueRefused.Reason.DISK, 1, Duration.ofSeconds(30), "the disk is full");
    Snapshot full = services.run(5);
    assertThat(full.databasesAway()).isEmpty();
    assertThat(full.verdict().problems()).isEmpty();
    orders.waitsFor = new QueueUnavailable("the brokers do not respond", null);
    assertThat(services.run(1).databasesAway()).isEmpty();
    orders.waitsFor = new Unavailable("the database does not respond", null);
    assertThat(services.run(1).databasesAway()).hasSize(1);
  }

  @Test
  void aServiceWhoseResultsHaveNoRoomStandsStillWhateverTheRatesWere() {
    orders.accepts = 2_000;
    services.run(20);
    orders.accepts = 100;
    assertThat(orders(services.run(12)).report().lag().clear().known().orElseThrow())
        .isInstanceOf(Until.In.class);
    orders.outRefusal = new QueueStats.Refusal(QueueRefused.Reason.DISK, Double.NaN, services.now);
    ServiceReport report = orders(services.run(1)).report();
    assertThat(report.standsStill()).isTrue();
    assertThat(report.state()).isEqualTo(ServiceReport.State.REFUSING);
    assertThat(report.lag().clear().known().orElseThrow()).isInstanceOf(Until.Never.class);
    assertThat(report.lag().late().known().orElseThrow()).isInstanceOf(Until.In.class);
    orders.outRefusal = null;
    assertThat(orders(services.run(1)).report().lag().clear().known().orElseThrow())
        .isInstanceOf(Until.In.class);
  }

  @Test
  void aStalledPartitionIsWatchedThenBadWithItsReason() {
    orders.held =
        new QueueStats.Hold(7, "orders.in-0 is blocked at position 7 by producer 4", services.now);
    Problem watched = services.run(30).verdict().problems().getFirst();
    assertThat(watched.kind()).isEqualTo(AlertKind.STALLED);
    assertThat(watched.severity()).isEqualTo(Severity.WATCH);
    assertThat(watched.text())
        .isEqualTo("orders-post: orders.in-0 is blocked at position 7 by producer 4.");
    assertThat(services.run(31).verdict().problems().getFirst().severity()).isEqualTo(Severity.BAD);
    orders.held = null;
    assertThat(services.run(1).verdict().problems()).isEmpty();
  }

  /** Right after a start, a figure past its limit counts as past it for a while. */
  @Test
  void problemsAtTheStartAreReportedAtOnce() {
    orders.accepts = 2000;
    orders.performs = 0;
    services.sample(600);
    assertThat(services.run(1).verdict().problems().getFirst())
        .satisfies(it -> {
          assertThat(it.kind()).isEqualTo(AlertKind.BEHIND);
          assertThat(it.severity()).isEqualTo(Severity.BAD);
        });
  }

  /** After a burst, the oldest message still ages although fewer and fewer messages wait. */
  @Test
  void afterABurstTheServiceCatchesUpWhileTheOldestMessageStillAges() {
    orders.accepts = 5000;
    orders.performs = 1000;
    services.run(240);
    orders.accepts = 100;
    Snapshot snapshot = services.run(60);
    assertThat(snapshot.services().getFirst().report().state())
        .isEqualTo(ServiceReport.State.DRAINING);
    assertThat(snapshot.verdict().problems().getFirst().text())
        .contains(
            "orders-post", "catching up", "It catches up in about", "but passes the 5 m limit");
  }

  @Test
  void busyWorkersAreReportedUntilTheAlertBeginsToClose() {
    orders.accepts = 960;
    assertThat(services.run(180).verdict().problems())
        .extracting(Problem::kind)
        .containsExactly(AlertKind.DATABASE);
    orders.accepts = 100;
    assertThat(services.run(90).verdict().problems()).isEmpty();
  }

  @Test
  void warnsBeforeRetentionByTimeDeletesWaitingMessages() {
    orders.kept = Duration.ofMinutes(20);
    orders.accepts = 2000;
    orders.performs = 1000;
    services.run(900);
    assertThat(services.run(60).verdict().problems()).noneMatch(it -> it.kind() == AlertKind.LOSS);
    Snapshot watched = services.run(360);
    assertThat(watched.verdict().problems())
        .filteredOn(it -> it.kind() == AlertKind.LOSS)
        .singleElement()
        .satisfies(it -> {
          assertThat(it.severity()).isEqualTo(Severity.WATCH);
          assertThat(it.text())
              .contains("orders-post: retention deletes the oldest", "waiting message in 9 m");
        });
    orders.performs = 0;
    assertThat(services.run(420).verdict().problems())
        .filteredOn(it -> it.kind() == AlertKind.LOSS)
        .extracting(Problem::severity)
        .containsExactly(Severity.BAD);
  }

  @Test
  void timeOfDeletionIsUnknownUntilTheBrokersReportRetention() {
    assertThat(loss()).isEqualTo(Figure.unknown("messages are kept until performed"));
    orders.connected = false;
    assertThat(loss())
        .isEqualTo(Figure.unknown("the brokers have not reported the retention time yet"));
  }

  private Figure<Until> loss() {
    return services.run(2).services().stream()
        .map(Snapshot.Service::report)
        .filter(it -> it.name().equals(orders.name()))
        .findFirst()
        .orElseThrow()
        .loss();
  }

  @Test
  void deadLettersAreReportedFor15Minutes() {
    services.run(20);
    orders.dead = 3;
    Snapshot snapshot = services.run(20);
    assertThat(snapshot.verdict().problems().getFirst().text())
        .isEqualTo("orders-post got 3 dead letters in the last 15 minutes; see Failed.");
    assertThat(services.run(14 * 60).verdict().problems())
        .extracting(Problem::kind)
        .containsExactly(AlertKind.DEAD);
    assertThat(services.run(6 * 60).verdict().problems()).isEmpty();
  }

  @Test
  void failuresThatNobodyHasToDecideAboutAreNoAlert() {
    services.run(20);
    orders.dead = 3;
    orders.failed = 100;
    areOpen(103);
    assertThat(services.run(20).verdict().problems())
        .extracting(Problem::kind)
        .containsExactlyInAnyOrder(AlertKind.DEAD, AlertKind.FAILING);
    assertThat(services.run(60).verdict().problems())
        .hasSize(2)
        .extracting(Problem::text)
        .anyMatch(it -> it.contains("in the last 15 minutes, none in the last minute;"))
        .anyMatch(it -> it.contains("in the last 15 minutes, the last one 1 m 19 s ago;"))
        .allMatch(it -> it.contains(" The alert closes once none is open there, or "));
    areOpen(3);
    assertThat(services.run(1).verdict().problems()).hasSize(2);
    areOpen(0);
    assertThat(services.run(1).verdict().problems()).isEmpty();
  }

  /** After a restart nothing has failed in this process. */
  @Test
  void openFailuresOfAnEarlierRunAreInTheHeadline() {
    areOpen(1395);
    assertThat(services.run(5).verdict().text())
        .isEqualTo("All 3 services keep up. 1,395 failures are open; see Failed.");
  }

  @Test
  void theAlertOfManyFailuresNamesTheStatementAndTheConstraint() {
    services.run(60);
    Failures.Group most =
        new Failures.Group(
            "orders-post",
            "23514",
            new Failures.Cause("orders.add", "constraint qty_positive, table orders"),
            "check constraint qty_positive of orders violated",
            100,
            false,
            0,
            100,
            services.now,
            services.now);
    doReturn(Optional.of(most)).when(services.failures).most("orders-post");
    orders.failed = 100;
    assertThat(text(services.run(1)))
        .isEqualTo(
            "orders-post: 20 % of statements fail, 100 in the last minute: orders.add, check"
                + " constraint qty_positive of orders violated (23514); see Failed."
                + CALLERS);
    assertThat(text(services.run(80)))
        .as("none fails")
        .isEqualTo(
            "orders-post: 100 of 14,000 statements failed in the last 15 minutes, the last one"
                + " 1 m 20 s ago: orders.add, check constraint qty_positive of orders violated"
                + " (23514); see Failed. Their callers got the error. The alert closes soon.");
    services.run(20 * 60);
    orders.failed = 200;
    assertThat(text(services.run(1))).as("maybe another cause").contains("; see Failed.");
  }

  /** The share is that since they began, not that of the whole minute. */
  @Test
  void aThirdThatFailsIsBadWithTheSameShareEverywhereUntilNoneFails() {
    orders.accepts = 20;
    services.run(120);
    for (int second = 1; second <= 30; second++) {
      orders.failed += 6;
      Snapshot now = services.run(1);
      if (second < 5) {
        continue;
      }
      Problem problem = now.verdict().problems().getFirst();
      assertThat(problem.severity()).as("second %d", second).isEqualTo(Severity.BAD);
      assertThat(problem.figure()).as("second %d", second).isEqualTo(0.3);
      assertThat(problem.text())
          .isEqualTo(
              "orders-post: 30 %% of statements fail, %d in the last minute; see Failed.%s"
                  .formatted(6 * second, CALLERS));
      assertThat(orders(now).severity()).isEqualTo(Severity.BAD);
      assertThat(orders(now).failingShare()).isEqualTo(0.3);
    }
    assertThat(services.run(3).verdict().problems().getFirst().text()).contains("of statements");
    Snapshot over = services.run(1);
    assertThat(orders(over).failingShare()).isNull();
    assertThat(over.verdict().problems().getFirst())
        .satisfies(it -> {
          assertThat(it.severity()).isEqualTo(Severity.WATCH);
          assertThat(it.text())
              .isEqualTo(
                  "orders-post: 180 of 3,060 statements failed in the last 15 minutes, the last one"
                      + " 4 s ago; see Failed. Their callers got the error. The alert closes once"
                      + " none is open there, or 15 minutes after the last one.");
        });
    areOpen(0);
    assertThat(services.run(1).verdict().problems()).as("all are decided").isEmpty();
    orders.failed += 6;
    areOpen(6);
    assertThat(services.run(1).verdict().problems()).as("the next fail").hasSize(1);
  }

  @Test
  void oneFailureOfFewStatementsIsNoAlertButTenAre() {
    orders.accepts = 0.2;
    services.run(60);
    orders.failed = 1;
    Snapshot snapshot = services.run(60);
    assertThat(snapshot.verdict().problems()).as("1 of 24").isEmpty();
    assertThat(orders(snapshot).severity()).isEqualTo(Severity.FINE);
    orders.failed = 9;
    assertThat(services.run(60).verdict().problems()).isEmpty();
    orders.failed = 10;
    assertThat(services.run(60).verdict().problems())
        .extracting(Problem::kind)
        .containsExactly(AlertKind.FAILING);
  }

  @Test
  void threeFailuresAreAnAlertIfMostStatementsFail() {
    orders.accepts = 0.05;
    services.run(60);
    orders.failed = 2;
    assertThat(services.run(20).verdict().problems()).isEmpty();
    orders.failed = 3;
    assertThat(services.run(20).verdict().problems())
        .extracting(Problem::kind)
        .containsExactly(AlertKind.FAILING);
  }

  @Test
  void anAlertOfFewFailuresSaysThatItCloses() {
    services.run(20);
    orders.failed = 100;
    services.run(80);
    assertThat(text(services.run(10))).doesNotContain("closes soon");
    assertThat(text(services.run(40)))
        .endsWith("; see Failed. Their callers got the error. The alert closes soon.");
  }

  private void areOpen(long count) {
    doReturn(Optional.of(new OpenFailures.Open(count, false)))
        .when(services.failures)
        .of(eq("orders-post"), any());
  }

  /** A disk that is full after this time, at any rate. */
  private static final class Filling implements Host {

    private Until left = new Until.Passed();

    @Override
    public Optional<VolumeView> volume() {
      return Optional.empty();
    }

    @Override
    public Figure<Runway> runway() {
      return Figure.measured(new Runway(left, left, left));
    }

    @Override
    public Figure<Until> fullWith(double extraBytesPerSecond) {
      return Figure.measured(left);
    }

    @Override
    public Figure<Double> growthShare(String service) {
      return Figure.measured(1.0);
    }
  }
}
