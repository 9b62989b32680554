/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.batch.JobProgress;
import io.forebay.operations.jobs.JobStepView;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.step.StepExecution;

/** Of a step with three partitions of 100 items each. */
class StepViewsTest {

  private static final Instant BEGIN = Instant.parse("2026-11-24T12:00:00Z");
  private static final int ITEMS = 100;

  private final JobExecution job =
      new JobExecution(1, new JobInstance(1, "job"), new JobParameters());
  private final StepExecution whole = step(1, "whole");
  private Instant now = BEGIN;
  private final StepViews views = new StepViews(() -> now);

  private StepExecution step(long id, String name) {
    StepExecution step = new StepExecution(id, name, job);
    step.setStatus(BatchStatus.STARTED);
    step.setStartTime(LocalDateTime.ofInstant(BEGIN, ZoneId.systemDefault()));
    if (name.equals("whole")) {
      step.getExecutionContext().put(JobProgress.PARTITIONS, Map.of("1", "", "2", "", "3", ""));
      JobProgress.total(step, 3 * ITEMS);
    } else {
      step.getExecutionContext().putString(JobProgress.PARTITION_OF, "whole");
      JobProgress.total(step, ITEMS);
    }
    return step;
  }

  /**
   * @param earlier what its earlier executions read
   */
  private StepExecution partition(int number, BatchStatus status, long read, long earlier) {
    StepExecution partition = step(1 + number, "part:" + number);
    partition.setStatus(status);
    if (status == BatchStatus.STARTING) {
      partition.setStartTime(null);
    }
    partition.setReadCount(read);
    partition.getExecutionContext().putLong(JobProgress.READ, read);
    partition.getExecutionContext().putLong(JobProgress.EARLIER, earlier);
    return partition;
  }

  private JobStepView view(StepExecution... partitions) {
    List<StepExecution> steps = new ArrayList<>(List.of(partitions));
    steps.addFirst(whole);
    return views.of(steps).getFirst();
  }

  @Test
  void theRateOfTheWholeStepHasThePartitionsThatHaveEnded() {
    StepExecution waits = partition(3, BatchStatus.STARTING, 0, 0);
    now = BEGIN.plus(Duration.ofSeconds(10));
    assertThat(
            view(
                    partition(1, BatchStatus.COMPLETED, ITEMS, 0),
                    partition(2, BatchStatus.STARTED, 50, 0),
                    waits)
                .perSecond())
        .isEqualTo(15.0);
    now = BEGIN.plus(Duration.ofSeconds(20));
    StepExecution began = partition(3, BatchStatus.STARTED, 50, 0);
    began.setStartTime(
        LocalDateTime.ofInstant(now.minus(Duration.ofSeconds(5)), ZoneId.systemDefault()));
    assertThat(views.of(List.of(whole, began)).getLast().perSecond())
        .as("it was looked at before it began")
        .isEqualTo(10.0);
  }

  @Test
  void partitionsFollowTheirStepInTheOrderOfTheirNumbers() {
    StepExecution other = step(99, "other");
    other.getExecutionContext().remove(JobProgress.PARTITION_OF);
    assertThat(
            views.of(
                List.of(
                    whole,
                    partition(11, BatchStatus.STARTED, 50, 0),
                    other,
                    partition(2, BatchStatus.STARTED, 50, 0))))
        .extracting(JobStepView::name)
        .containsExactly("whole", "part:2", "part:11", "other");
  }

  @Test
  void theWholeStepFeedsTheServiceThatItsPartitionsFeed() {
    StepExecution first = partition(1, BatchStatus.STARTED, 10, 0);
    assertThat(view(first).feeds()).isNull();
    JobProgress.feeds(first.getExecutionContext(), "orders");
    assertThat(view(partition(2, BatchStatus.STARTING, 0, 0), first).feeds()).isEqualTo("orders");
  }

  @Test
  void aRestartShowsTheItemsOfPartitionsThatWereComplete() {
    whole.getExecutionContext().putLong(JobProgress.EARLIER, ITEMS + 40 + 30);
    JobStepView view =
        view(partition(2, BatchStatus.STARTED, 10, 40), partition(3, BatchStatus.STARTING, 30, 0));
    assertThat(view.progress().done()).isEqualTo(ITEMS + 50 + 30);
    assertThat(view.progress().total()).isEqualTo(3 * ITEMS);
  }
}
