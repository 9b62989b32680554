/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.admin.verdict.Judge;
import io.forebay.admin.verdict.Problem;
import io.forebay.admin.verdict.Verdict;
import io.forebay.capacity.Alert.Severity;
import io.forebay.operations.Actor;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobStepView;
import io.forebay.operations.jobs.JobView;
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
        Map.of("at", "2026-11-23T01:30:00Z"),
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
    return new Judge().judge(NOW, List.of(), null, List.of(), watch.troubles());
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
        .returns(
            "Job reprice failed at 23 Nov 02:59 UTC: full (IOException). 1 record was written before it"
                + " failed. Correct the cause, then restart execution 7.",
            Problem::text);
    assertThat(Verdict.of(List.of(), problems(), List.of()).text())
        .isEqualTo("Job reprice needs attention.");
    assertThat(registry.get("forebay.job.failed").tag("job.name", "reprice").gauge().value())
        .isEqualTo(1);

    last = execution("STARTED", "", null, null);
    assertThat(problems()).isEmpty();
    assertThat(registry.get("forebay.job.failed").tag("job.name", "reprice").gauge().value())
        .isZero();

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
        .returns(
            "Job reprice: 2 runs failed. The newest failed again at 23 Nov 03:00 UTC: SQLException (the"
                + " log of its process has the message). 1 record was written this time before it"
                + " failed. Correct the cause, then restart or abandon each of them.",
            Problem::text);
  }

  @Test
  void aFailedRestartFailedAgain() {
    counts = new JobStepView.Counts(0, 0, 0, 0, 0, 0, 0, 0);
    last = execution("FAILED", "java.io.IOException: full", NOW, null);
    assertThat(problems())
        .extracting(Problem::text)
        .containsExactly(
            "Job reprice failed at 23 Nov 03:00 UTC: full (IOException). No record was performed."
                + " Correct the cause, then restart execution 7.");

    JobExecutionView before = last;
    last = execution(9, "FAILED", "", NOW, null);
    executions = List.of(before);
    assertThat(problems())
        .extracting(Problem::text)
        .containsExactly(
            "Job reprice failed again at 23 Nov 03:00 UTC. The log of its process has the reason. No"
                + " record was performed this time. Correct the cause, then restart execution 9.");
  }

  @Test
  void theHomePageShowsTheNewestFailureWithItsReason() {
    watch.look();
    assertThat(watch.tile()).isEqualTo(new Snapshot.Jobs(0, 1, Severity.FINE, "reprice", null));

    last = execution("FAILED", "java.io.IOException: full", NOW, null);
    watch.look();
    assertThat(watch.tile())
        .isEqualTo(new Snapshot.Jobs(1, 0, Severity.BAD, "reprice: full (IOException)", 7L));

    JobWatch none = new JobWatch(null, () -> NOW);
    none.look();
    assertThat(none.tile()).as("without jobs").isNull();
  }

  @Test
  void severalFailuresAreRestartedWhereEachIsListed() {
    earlier = List.of(execution(5, "FAILED", "", NOW.minusSeconds(600), null));
    last = execution(8, "FAILED", "java.io.IOException: full", NOW, null);
    watch.look();
    assertThat(watch.tile())
        .isEqualTo(new Snapshot.Jobs(2, 0, Severity.BAD, "reprice: full (IOException)", null));
  }

  @Test
  void aRunThatLostItsProcessIsRestartedOrAbandoned() {
    last = execution("FAILED", "Recovered: the process had died.", NOW, null);
    assertThat(problems())
        .extracting(Problem::text)
        .containsExactly(
            "Job reprice: execution 7 with at=2026-11-23T01:30:00Z lost its process, and nothing"
                + " restarts it automatically. Restart or abandon it.");
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
      return Stream.concat(executions.stream(), earlier.stream())
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
