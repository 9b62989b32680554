/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.admin.verdict.Figures;
import io.forebay.admin.verdict.Judge;
import io.forebay.admin.verdict.Problem;
import io.forebay.operations.Actor;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobStepView;
import io.forebay.operations.jobs.JobView;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobWatchTest {

  private static final Instant NOW = Instant.parse("2026-11-23T03:00:00Z");

  private String due = "2026-11-23T01:30:00Z";
  private JobStepView.Counts counts = new JobStepView.Counts(1, 1, 0, 0, 0, 0, 1, 0);
  private JobExecutionView last = execution("STARTED", "", null, null);
  private List<JobExecutionView> earlier = List.of();
  private List<JobExecutionView> executions = List.of();

  private final JobWatch watch = new JobWatch(new Known(), () -> NOW);
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  JobWatchTest() {
    WatchMetrics.jobs(registry, watch);
  }

  private JobExecutionView execution(
      String state, String failure, @Nullable Instant ended, @Nullable Double secondsLeft) {
    return execution(7, state, failure, ended, secondsLeft);
  }

  private JobExecutionView execution(
      long id,
      String state,
      String failure,
      @Nullable Instant ended,
      @Nullable Double secondsLeft) {
    JobStepView whole = step("write", null, state, failure, ended, secondsLeft);
    JobStepView partition = step("part:0", "write", state, failure, ended, secondsLeft);
    return new JobExecutionView(
        id,
        "reprice",
        state,
        Map.of("due", due),
        "",
        null,
        false,
        false,
        state.equals("FAILED"),
        false,
        NOW,
        NOW,
        ended,
        failure,
        List.of(whole, partition));
  }

  private JobStepView step(
      String name,
      @Nullable String partOf,
      String state,
      String failure,
      @Nullable Instant ended,
      @Nullable Double secondsLeft) {
    return new JobStepView(
        name,
        partOf,
        state,
        NOW,
        ended,
        counts,
        new JobStepView.Progress("items", 1, 100, secondsLeft),
        null,
        "",
        failure,
        null,
        List.of());
  }

  private List<Problem> problems() {
    watch.look();
    return new Judge().judge(NOW, List.of(), null, List.of(), watch.problems());
  }

  @Test
  void aFailedJobIsAnAlertUntilItIsStartedAgain() {
    last =
        execution(
            "FAILED",
            "org.springframework.batch.core.step.FatalStepExecutionException: Unable to process"
                + " chunk\njava.io.IOException: full",
            NOW.minusSeconds(60),
            null);
    assertThat(problems())
        .singleElement()
        .returns("job~reprice", Problem::id)
        .returns(Severity.BAD, Problem::severity)
        .satisfies(it ->
            assertThat(figures(it))
                .returns(Figures.Trouble.FAILED, Figures.Job::trouble)
                .returns("java.io.IOException: full", Figures.Job::failure)
                .returns(1L, Figures.Job::written)
                .returns(7L, Figures.Job::execution));
    Gauge gauge = registry.get("forebay.job.failed").tag("job.name", "reprice").gauge();
    assertThat(gauge.value()).isEqualTo(1);

    last = execution("STARTED", "", null, null);
    assertThat(problems()).isEmpty();
    assertThat(gauge.value()).isZero();
    assertThat(registry.get("forebay.job.failed").tag("job.name", "reprice").gauge())
        .as("a scrape meanwhile must not see it twice")
        .isSameAs(gauge);

    last = execution("FAILED", "", NOW.minus(Duration.ofDays(8)), null);
    assertThat(problems()).as("long ago").isEmpty();
  }

  @Test
  void aFailedRunIsAnAlertAlsoAfterAnotherRunOfTheJob() {
    earlier = List.of(execution(5, "FAILED", "java.lang.Error: lost", NOW.minusSeconds(600), null));
    last = execution(8, "COMPLETED", "", NOW, null);
    assertThat(problems())
        .singleElement()
        .returns("job~reprice", Problem::id)
        .returns("reprice", Problem::job)
        .returns(5L, Problem::execution)
        .returns(NOW.minusSeconds(600), Problem::since);

    last = execution(8, "FAILED", "java.sql.SQLException", NOW, null);
    assertThat(problems())
        .singleElement()
        .returns(null, Problem::execution)
        .satisfies(it ->
            assertThat(figures(it))
                .returns(2, Figures.Job::runs)
                .returns("java.sql.SQLException", Figures.Job::failure));
  }

  @Test
  void aRunThatFailedBeforeItDidAnythingHasNotBegun() {
    counts = new JobStepView.Counts(0, 0, 0, 0, 0, 0, 0, 0);
    last = execution("FAILED", "java.io.IOException: full", NOW, null);
    assertThat(problems())
        .extracting(JobWatchTest::figures)
        .singleElement()
        .returns(Figures.Trouble.NOT_BEGUN, Figures.Job::trouble);
  }

  @Test
  void theHomePageShowsHowManyFailed() {
    watch.look();
    assertThat(watch.tile()).isEqualTo(new Snapshot.Jobs(0));

    last = execution("FAILED", "java.io.IOException: full", NOW, null);
    watch.look();
    assertThat(watch.tile()).isEqualTo(new Snapshot.Jobs(1));

    JobWatch none = new JobWatch(null, () -> NOW);
    none.look();
    assertThat(none.tile()).as("without jobs").isNull();
  }

  @Test
  void anotherRunReplacesOneThatFailedBeforeItDidAnything() {
    counts = new JobStepView.Counts(0, 0, 0, 0, 0, 0, 0, 0);
    JobExecutionView failed = execution(5, "FAILED", "no such statement", NOW, null);
    earlier = List.of(failed);
    last = execution(8, "STARTED", "", null, null);
    assertThat(problems()).as("the right one runs").hasSize(1);
    last = execution(8, "COMPLETED", "", NOW, null);
    assertThat(problems()).isEmpty();
    assertThat(watch.tile()).isEqualTo(new Snapshot.Jobs(0));
    due = "2026-11-24T01:30:00Z";
    last = execution(8, "COMPLETED", "", NOW, null);
    assertThat(problems()).as("that of another day does not").hasSize(1);
  }

  @Test
  void aCompleteRunThatSkippedAThirdIsWatchedForADay() {
    counts = new JobStepView.Counts(4000, 3333, 0, 1000, 667, 0, 40, 0);
    last = execution("COMPLETED", "", NOW, null);
    assertThat(problems())
        .singleElement()
        .returns(Severity.WATCH, Problem::severity)
        .satisfies(it ->
            assertThat(figures(it))
                .returns(Figures.Trouble.SKIPPED, Figures.Job::trouble)
                .returns(1667L, Figures.Job::skipped)
                .returns(5000L, Figures.Job::read));
    assertThat(watch.tile()).isEqualTo(new Snapshot.Jobs(0));
    assertThat(registry.get("forebay.job.failed").tag("job.name", "reprice").gauge().value())
        .isZero();
    last = execution("COMPLETED", "", NOW.minus(Duration.ofDays(2)), null);
    assertThat(problems()).isEmpty();
    counts = new JobStepView.Counts(5000, 4990, 0, 0, 10, 0, 40, 0);
    last = execution("COMPLETED", "", NOW, null);
    assertThat(problems()).as("10 of 5,000").isEmpty();
  }

  private static Figures.Job figures(Problem problem) {
    return (Figures.Job) problem.figures();
  }

  @Test
  void aRunThatLostItsProcessIsRestartedOrAbandoned() {
    last = execution("FAILED", "Recovered: the process had died.", NOW, null);
    assertThat(problems())
        .extracting(JobWatchTest::figures)
        .singleElement()
        .returns(Figures.Trouble.LOST, Figures.Job::trouble)
        .returns(Map.of("due", "2026-11-23T01:30:00Z"), Figures.Job::parameters);
  }

  private final class Known implements JobOperations {

    @Override
    public List<JobView> jobs() {
      return List.of(new JobView("reprice", "", false, List.of(), null, last));
    }

    @Override
    public Optional<JobView> job(String name) {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<JobExecutionView> executions(String job, long before, int limit) {
      return Stream.of(executions.stream(), earlier.stream(), Stream.of(last))
          .flatMap(it -> it)
          .filter(it -> it.id() < before)
          .toList();
    }

    @Override
    public List<JobExecutionView> failed(Instant since, int limit) {
      return Stream.concat(Stream.of(last), earlier.stream())
          .filter(it -> it.state().equals("FAILED") && it.ended().isAfter(since))
          .toList();
    }

    @Override
    public JobExecutionView abandon(long id, Actor by) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Optional<JobExecutionView> execution(long id) {
      throw new UnsupportedOperationException();
    }

    @Override
    public JobExecutionView start(
        String job, Map<String, @Nullable String> parameters, Actor by, Predicate<String> maySend) {
      throw new UnsupportedOperationException();
    }

    @Override
    public JobExecutionView stop(long id, Actor by) {
      throw new UnsupportedOperationException();
    }

    @Override
    public JobExecutionView restart(long id, Actor by, Predicate<String> maySend) {
      throw new UnsupportedOperationException();
    }

    @Override
    public JobExecutionView recover(long id, Actor by) {
      throw new UnsupportedOperationException();
    }
  }
}
