/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import io.forebay.batch.partitions.PartitionWorker;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobStepView;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.ExitStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.ExecutionContext;

/** The executions known to Spring Batch, as operators see them. Thread-safe. */
final class ExecutionViews {

  private static final String CHUNKS = "forebay.chunk.";
  private static final String REASONS = "chunks.";

  private final StepRates rates = new StepRates();
  private final StepRates byteRates = new StepRates();
  private final Owners owners;
  private final ExecutionTable table;
  private final InstantSource clock;

  ExecutionViews(Owners owners, ExecutionTable table, InstantSource clock) {
    this.owners = owners;
    this.table = table;
    this.clock = clock;
  }

  JobExecutionView of(JobExecution execution) {
    return of(execution, execution.getStepExecutions().stream().map(this::step).toList());
  }

  JobExecutionView withoutSteps(JobExecution execution) {
    return of(execution, List.of());
  }

  private JobExecutionView of(JobExecution execution, List<JobStepView> steps) {
    Owners.Owner owner = owners.owner(execution.getId());
    boolean running = execution.getStatus().isRunning();
    boolean dead = running && !owner.alive();
    return new JobExecutionView(
        execution.getId(),
        execution.getJobInstance().getJobName(),
        execution.getStatus().name(),
        parameters(execution),
        owner.startedBy().isEmpty() ? "the application" : owner.startedBy(),
        owner.runner(),
        dead,
        mayStop(execution) && !dead,
        mayRestart(execution),
        Endings.isStuck(execution) && !owner.alive(),
        instant(execution.getCreateTime()),
        time(execution.getStartTime()),
        running ? null : time(execution.getEndTime()),
        execution.getExitStatus().getExitCode(),
        execution.getStatus().isUnsuccessful() ? "" : text(execution.getExitStatus()),
        execution.getStatus().isUnsuccessful() ? text(execution.getExitStatus()) : "",
        steps);
  }

  private static String text(ExitStatus exit) {
    return FailureText.of(exit.getExitDescription());
  }

  private static boolean mayStop(JobExecution execution) {
    BatchStatus status = execution.getStatus();
    return status == BatchStatus.STARTING || status == BatchStatus.STARTED;
  }

  private boolean mayRestart(JobExecution execution) {
    BatchStatus status = execution.getStatus();
    return (status == BatchStatus.FAILED || status == BatchStatus.STOPPED)
        && !Endings.isStuck(execution)
        && table.isNewest(execution.getJobInstanceId(), execution.getId());
  }

  private static Map<String, String> parameters(JobExecution execution) {
    Map<String, String> texts = new TreeMap<>();
    execution
        .getJobParameters()
        .forEach(parameter -> texts.put(parameter.name(), String.valueOf(parameter.value())));
    return texts;
  }

  private JobStepView step(StepExecution step) {
    boolean running = step.getStatus().isRunning();
    Double rate = running ? rateNow(step) : average(step);
    return new JobStepView(
        step.getStepName(),
        step.getStatus().name(),
        time(step.getStartTime()),
        running ? null : time(step.getEndTime()),
        time(step.getLastUpdated()),
        new JobStepView.Counts(
            step.getReadCount(),
            step.getWriteCount(),
            step.getFilterCount(),
            step.getReadSkipCount(),
            step.getProcessSkipCount(),
            step.getWriteSkipCount(),
            step.getCommitCount(),
            step.getRollbackCount()),
        progress(step, rate),
        rate,
        step.getStatus().isUnsuccessful() ? "" : text(step.getExitStatus()),
        step.getStatus().isUnsuccessful() ? text(step.getExitStatus()) : "",
        running ? text(step.getExecutionContext(), JobProgress.WAITING) : null,
        services(step.getExecutionContext()));
  }

  private @Nullable Double rateNow(StepExecution step) {
    return rates.rate(
        step.getId(),
        readBefore(step) == 0 ? time(step.getStartTime()) : null,
        step.getReadCount(),
        clock.instant());
  }

  /** What other processes read of a partition that this execution counts too. */
  private static long readBefore(StepExecution step) {
    Long before = number(step.getExecutionContext(), PartitionWorker.READ_BEFORE);
    return before == null ? 0 : Math.min(before, step.getReadCount());
  }

  private static @Nullable Double average(StepExecution step) {
    LocalDateTime begun = step.getStartTime();
    LocalDateTime ended = step.getEndTime();
    if (begun == null || ended == null || step.getReadCount() == 0) {
      return null;
    }
    long millis = Duration.between(begun, ended).toMillis();
    return millis <= 0 ? null : step.getReadCount() * 1e3 / millis;
  }

  private JobStepView.@Nullable Progress progress(StepExecution step, @Nullable Double rate) {
    ExecutionContext context = step.getExecutionContext();
    Long total = number(context, JobProgress.TOTAL);
    if (total == null || total < 0) {
      return null;
    }
    Long bytes = number(context, JobProgress.DONE);
    long done = bytes == null ? committed(step) - readBefore(step) + before(context) : bytes;
    if (done > total) {
      return null; // more items than the announced total; the real total is unknown
    }
    if (bytes == null) {
      return new JobStepView.Progress("items", done, total, secondsLeft(step, total - done, rate));
    }
    Double bytesPerSecond =
        step.getStatus().isRunning()
            ? byteRates.rate(step.getId(), null, bytes, clock.instant())
            : null;
    return new JobStepView.Progress(
        "bytes", done, total, secondsLeft(step, total - done, bytesPerSecond));
  }

  private static long before(ExecutionContext context) {
    Long before = number(context, JobProgress.BEFORE);
    return before == null ? 0 : before;
  }

  /** The items read in committed chunks. Spring Batch also counts those of the failed chunk. */
  private static long committed(StepExecution step) {
    return step.getStatus() == BatchStatus.FAILED
        ? step.getWriteCount()
            + step.getFilterCount()
            + step.getProcessSkipCount()
            + step.getWriteSkipCount()
        : step.getReadCount();
  }

  private static @Nullable Double secondsLeft(
      StepExecution step, long left, @Nullable Double rate) {
    return step.getStatus() == BatchStatus.STARTED && rate != null && rate > 0 ? left / rate : null;
  }

  private static List<JobStepView.Chunks> services(ExecutionContext context) {
    Map<String, Map<String, Long>> figures = new TreeMap<>();
    for (Map.Entry<String, Object> entry : context.entrySet()) {
      String key = entry.getKey();
      if (key.startsWith(CHUNKS) && entry.getValue() instanceof Number number) {
        String rest = key.substring(CHUNKS.length());
        int reason = rest.lastIndexOf("." + REASONS);
        int dot = reason < 0 ? rest.lastIndexOf('.') : reason;
        if (dot > 0) {
          figures
              .computeIfAbsent(rest.substring(0, dot), _ -> new TreeMap<>())
              .put(rest.substring(dot + 1), number.longValue());
        }
      }
    }
    List<JobStepView.Chunks> services = new ArrayList<>();
    figures.forEach((service, values) -> services.add(chunks(service, values)));
    return services;
  }

  private static JobStepView.Chunks chunks(String service, Map<String, Long> values) {
    Map<String, Long> reasons = new LinkedHashMap<>();
    values.forEach((figure, count) -> {
      if (figure.startsWith(REASONS)) {
        reasons.put(figure.substring(REASONS.length()), count);
      }
    });
    long chunks = reasons.values().stream().mapToLong(Long::longValue).sum();
    JobStepView.Limits limits = limits(values);
    long sent = values.getOrDefault("sent", 0L);
    return new JobStepView.Chunks(
        service,
        values.getOrDefault("calls", 0L),
        sent,
        values.getOrDefault("results", 0L),
        values.getOrDefault("failures", 0L),
        values.getOrDefault("timedOut", 0L),
        limits,
        chunks == 0 || limits == null
            ? null
            : Math.min(1, (double) sent / (chunks * limits.maxItems())),
        reasons);
  }

  private static JobStepView.@Nullable Limits limits(Map<String, Long> values) {
    long maxItems = values.getOrDefault("maxItems", 0L);
    return maxItems == 0
        ? null
        : new JobStepView.Limits(
            maxItems,
            values.getOrDefault("maxBytes", 0L),
            values.getOrDefault("maxInFlight", 0L),
            values.getOrDefault("lingerMillis", 0L),
            values.getOrDefault("timeoutMillis", 0L));
  }

  private static @Nullable Long number(ExecutionContext context, String key) {
    return context.get(key) instanceof Number number ? number.longValue() : null;
  }

  private static @Nullable String text(ExecutionContext context, String key) {
    return context.get(key) instanceof String text ? text : null;
  }

  private static @Nullable Instant time(@Nullable LocalDateTime time) {
    return time == null ? null : instant(time);
  }

  /** Converts a time; Spring Batch writes times in the process's time zone. */
  private static Instant instant(LocalDateTime time) {
    return time.atZone(ZoneId.systemDefault()).toInstant();
  }
}
