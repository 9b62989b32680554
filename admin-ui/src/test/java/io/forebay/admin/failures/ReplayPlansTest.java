/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureValues;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.ReplayRefused;
import io.forebay.service.progress.Unavailable;
import io.forebay.web.Problem;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Replays of failures in memory, whose outcomes a test sets. */
class ReplayPlansTest {

  private static final Instant AT = Instant.parse("2026-11-20T02:31:07Z");
  private static final Actor OLGA = new Actor(Actor.Kind.USER, "olga", "operator", "here");

  private final Stored stored = new Stored();
  private final Entries audit = new Entries();
  private final ReplayPlans plans = new ReplayPlans(stored, audit, InstantSource.fixed(AT));

  @AfterEach
  void close() throws InterruptedException {
    plans.close();
  }

  private static Failures.Filter filter(String service, String error) {
    return new Failures.Filter(service, error, Failure.State.OPEN);
  }

  private ReplayPlan plan() {
    return plans.make(filter("shop", "23505"), null);
  }

  private ReplayRun run(ReplayPlan plan, double perSecond) {
    return plans.run(plan.id(), new ReplayRun.Order(OLGA, "fixed", false, perSecond, 3));
  }

  private static void assertThatPartsAddUp(ReplayRun.Progress now) {
    assertThat(
            now.done()
                + now.failed()
                + now.pending()
                + now.refused()
                + now.skipped()
                + now.notAttempted())
        .as(now.toString())
        .isEqualTo(now.count());
  }

  private static ReplayRun.Progress ended(ReplayRun run) {
    await().until(() -> !run.isRunning());
    assertThatPartsAddUp(run.progress());
    return run.progress();
  }

  @Test
  void aPlanHasOnlyMessagesOfTheServiceAndTheErrorThatTheAuditNames() {
    stored.add("a", 0);
    assertThat(plans.make(filter("shop", "23505"), List.of("a")).ids()).containsExactly("a");
    for (List<String> other : List.of(List.of("shop", "22000"), List.of("desk", "23505"))) {
      assertThatThrownBy(() -> plans.make(filter(other.get(0), other.get(1)), List.of("a")))
          .isInstanceOf(Problem.class)
          .hasMessageContaining("Message a is not one of service");
    }
  }

  @Test
  void sentMessagesCountAtOnceAndAPartitionThatIsBehindHidesNoOutcome() {
    stored.add("c", 1);
    stored.add("b", 1);
    stored.add("a", 0); // sent first
    ReplayRun run = run(plan(), 1_000);
    await().until(() -> run.progress().sent() == 3);
    stored.outcome("b", Failure.Outcome.DONE);
    stored.outcome("c", Failure.Outcome.FAILED);
    await().until(() -> run.progress().done() == 1 && run.progress().failed() == 1);
    assertThat(run.progress().pending()).isEqualTo(1);
    stored.outcome("a", Failure.Outcome.DONE);
    assertThat(ended(run).done()).isEqualTo(2);
  }

  @Test
  void theBrakeWorksAtAnyRateAlsoIfSendingIsSlowerThanOrdered() {
    for (int i = 0; i < 100; i++) {
      stored.add("f" + i, 0);
    }
    stored.outcome = Failure.Outcome.FAILED;
    stored.slowness = Duration.ofMillis(2);
    ReplayRun.Progress now = ended(run(plan(), 1_000));
    assertThat(now.state()).isEqualTo(ReplayRun.State.FAILED);
    assertThat(now.sent()).isEqualTo(3);
    assertThat(now.failed()).isEqualTo(3);
    assertThat(now.text()).isEqualTo("Stopped at 3 of 100: 3 messages in a row failed again.");
    assertThat(audit.result().outcome())
        .isEqualTo(
            "failed: 3 of 100 sent, 0 performed, 3 failed again. Stopped at 3 of 100: 3 messages in a row failed again.");
  }

  @Test
  void fewOutcomesAreUnknownUntilMessagesTakeEffect() {
    for (int i = 99; i >= 0; i--) {
      stored.add("f" + i, 0); // f0 is sent first
    }
    ReplayRun run = run(plan(), 1_000);
    await().until(() -> run.progress().sent() == 3);
    int looks = stored.looks.get();
    await().until(() -> stored.looks.get() >= looks + 10); // with nothing known, no more are sent
    assertThat(run.progress().sent()).isEqualTo(3);
    stored.outcome("f0", Failure.Outcome.DONE);
    stored.outcome("f1", Failure.Outcome.DONE);
    await().until(() -> run.progress().sent() == 2 + 5);
    stored.outcome("f2", Failure.Outcome.FAILED);
    stored.outcome("f3", Failure.Outcome.FAILED);
    stored.outcome("f4", Failure.Outcome.FAILED);
    await().until(() -> run.progress().failed() == 3);
    assertThat(run.isRunning()).as("it waits for the outcome of those sent").isTrue();
    stored.outcome("f5", Failure.Outcome.DONE);
    stored.outcome("f6", Failure.Outcome.FAILED);
    ReplayRun.Progress now = ended(run);
    assertThat(now.pending()).isZero();
    assertThat(now.done()).isEqualTo(3);
    assertThat(now.text()).isEqualTo("Stopped at 7 of 100: 3 messages in a row failed again.");
  }

  @Test
  void aReplayStopsOnCommandBeforeTheFirstMessage() {
    for (int i = 0; i < 10; i++) {
      stored.add("f" + i, 0);
    }
    ReplayRun run = run(plan(), 0.01);
    run.stop("olga");
    ReplayRun.Progress now = ended(run);
    assertThat(now.text()).isEqualTo("Stopped at 0 of 10 by olga.");
  }

  @Test
  void messagesThatWereReplayedBeforeAreSkippedAtOnceAndNamed() {
    for (int i = 0; i < 100; i++) {
      stored.add("f" + i, 0);
    }
    ReplayPlan second = plan();
    stored.all.keySet().forEach(id -> stored.replay(id, "otto"));
    ReplayRun run = run(second, 1); // with a pace this would take 100 s
    ReplayRun.Progress now = ended(run);
    assertThat(now.skipped()).isEqualTo(100);
    assertThat(now.text())
        .isEqualTo("Nothing was sent: all messages were already replayed or discarded.");
  }

  @Test
  void aServiceHasOneReplayAtATime() {
    stored.add("a", 0);
    stored.add("b", 0);
    ReplayPlan first = plan();
    ReplayPlan second = plan();
    assertThat(plans.running("shop")).isNull();
    ReplayRun run = run(first, 0.01);
    assertThat(plans.running("shop")).isSameAs(run);
    assertThat(plans.running("desk")).isNull();
    assertThat(plans.lately()).containsExactly(run);
    assertThatThrownBy(() -> run(second, 1_000))
        .isInstanceOf(Problem.class)
        .hasMessage(
            "A replay of shop is running (started by olga, 0 of 2 sent); wait until it ends, or stop it.");
    run.stop("olga");
    ended(run);
    assertThat(plans.lately()).as("its result is still shown").containsExactly(run);
    assertThat(plans.running("shop")).isNull();
  }

  @Test
  void everyPartOfAReplayThatEndsEarlyIsNamed() {
    stored.add("a", 0);
    stored.add("gone", 0);
    for (int i = 0; i < 5; i++) {
      stored.add("r" + i, 0);
    }
    ReplayPlan plan = plan();
    stored.all.remove("gone");
    stored.refuses = true;
    ReplayRun.Progress now = ended(run(plan, 1_000));
    assertThat(now.state()).isEqualTo(ReplayRun.State.FAILED);
    assertThat(now.refused()).isEqualTo(3);
    assertThat(now.text()).contains("Stopped at ", " of 7: 3 messages in a row failed again.");
    String parts = audit.result().change().fields().getFirst().after();
    assertThat(parts).startsWith("0 performed, 0 failed again, ").contains("3 could not be sent");
  }

  @Test
  void anOutageEndsAReplayWithItsPlaceAndTheAuditHasTheResultLater() {
    for (int i = 0; i < 5; i++) {
      stored.add("f" + i, 0);
    }
    stored.awayAfter = 2;
    ReplayPlan plan = plan();
    audit.awayFor = 1;
    audit.awayFrom = "failures.replay.result";
    ReplayRun run = run(plan, 1_000);
    assertThat(ended(run).text()).isEqualTo("Stopped at 2 of 5: the database is away.");
    assertThat(run.progress().notAttempted()).isEqualTo(3);
    await().until(audit::hasResult);
    assertThat(audit.result().outcome())
        .startsWith(
            "failed: 2 of 5 sent, 0 performed, 0 failed again. Stopped at 2 of 5: the database is away."
                + " (ended at 2026-")
        .endsWith("; the audit was unavailable)");
    assertThat(audit.result().change().fields().getFirst().after())
        .isEqualTo("0 performed, 0 failed again, 3 not attempted, 2 sent with unknown outcome");
  }

  /** An audit that is unavailable for a while. */
  private static final class Entries implements Audit {

    final List<Entry> all = new CopyOnWriteArrayList<>();
    volatile String awayFrom = "";
    volatile int awayFor;

    @Override
    public void record(Entry entry) {
      if (entry.action().equals(awayFrom) && awayFor-- > 0) {
        throw new Unavailable("the audit is away", new IllegalStateException());
      }
      all.add(entry);
    }

    boolean hasResult() {
      return all.stream().anyMatch(it -> it.action().equals("failures.replay.result"));
    }

    Entry result() {
      await().until(this::hasResult);
      return all.getLast();
    }

    @Override
    public List<Recorded> before(long before, int limit, Filter filter) {
      return List.of();
    }
  }

  /** Failures in memory. */
  private static final class Stored implements Failures {

    final Map<String, Failure> all = new LinkedHashMap<>();
    volatile boolean refuses;
    volatile int awayAfter = Integer.MAX_VALUE;
    volatile Failure.Outcome outcome = Failure.Outcome.PENDING;
    volatile Duration slowness = Duration.ZERO;
    private int replays;
    final AtomicInteger looks = new AtomicInteger();

    @Override
    public int decideAll(List<String> ids, Failure.State to, String by, String reason) {
      return ids.stream().mapToInt(id -> decide(id, to, by, reason).isPresent() ? 1 : 0).sum();
    }

    synchronized void add(String id, int partition) {
      all.put(id, failure(id, partition, null));
    }

    synchronized void outcome(String id, Failure.Outcome outcome) {
      Failure before = all.get(id);
      all.put(
          id,
          failure(
              id, before.partition(), new Failure.Replay(UUID.randomUUID(), "olga", AT, outcome)));
    }

    private static Failure failure(String id, int partition, Failure.@Nullable Replay replay) {
      return new Failure(
          id, "shop", partition, 7, null, "DATA", "23505", "", null, 9, AT, replay, 0, null);
    }

    private void mustBeThere() {
      if (replays >= awayAfter) {
        throw new Unavailable("the database is away", new IllegalStateException());
      }
    }

    @Override
    public synchronized Page page(Filter filter, @Nullable String before, int limit) {
      return new Page(List.copyOf(all.values()), null);
    }

    @Override
    public synchronized Optional<Failure> find(String id) {
      looks.incrementAndGet();
      mustBeThere();
      return Optional.ofNullable(all.get(id));
    }

    @Override
    public synchronized Optional<Failure> replay(String id, String by) {
      if (refuses) {
        throw new ReplayRefused("it cannot be decoded");
      }
      mustBeThere();
      try {
        Thread.sleep(slowness);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      outcome(id, outcome);
      replays++;
      return Optional.of(all.get(id));
    }

    @Override
    public List<Group> groups(@Nullable String service, Instant from, Failure.State state) {
      return List.of();
    }

    @Override
    public long count(String service, Failure.State state, int atMost) {
      return 0;
    }

    @Override
    public Optional<FailureValues> values(String id) {
      return Optional.empty();
    }

    @Override
    public Optional<Failure> decide(String id, Failure.State to, String by, String reason) {
      return Optional.empty();
    }

    @Override
    public Optional<byte[]> message(String id) {
      return Optional.empty();
    }
  }
}
