/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import io.forebay.batch.JobProgress;
import io.forebay.batch.NaturalOrder;
import io.forebay.operations.jobs.JobStepView;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.ExecutionContext;

/**
 * Makes the views of steps from what the job repository knows of them. Thread-safe.
 *
 * <p>Of a step that is performed in partitions, the repository knows no figures until its end, so
 * its view has the sums of its partitions.
 */
final class StepViews {

  private static final String REASONS = "chunks.";

  private final InstantSource clock;

  StepViews(InstantSource clock) {
    this.clock = clock;
  }

  /** The views of an execution's steps; partitions follow the step that they are a part of. */
  List<JobStepView> of(Collection<StepExecution> steps) {
    Map<String, List<StepExecution>> parts =
        steps.stream()
            .filter(step -> partOf(step) != null)
            .sorted(Comparator.comparing(StepExecution::getStepName, NaturalOrder.OF_NAMES))
            .collect(Collectors.groupingBy(step -> Objects.requireNonNull(partOf(step))));
    List<JobStepView> views = new ArrayList<>();
    for (StepExecution step : steps) {
      if (partOf(step) == null) {
        List<StepExecution> own = parts.getOrDefault(step.getStepName(), List.of());
        List<JobStepView> partitions =
            own.stream().map(part -> view(part, List.of(), List.of(part))).toList();
        views.add(view(step, partitions, own.isEmpty() ? List.of(step) : own));
        views.addAll(partitions);
      }
    }
    return views;
  }

  private static @Nullable String partOf(StepExecution step) {
    return text(step.getExecutionContext(), JobProgress.PARTITION_OF);
  }

  /**
   * @param partitions of this step in its execution; empty if it is not performed in partitions
   * @param parts these, or the step; their contexts have the figures of its calls
   */
  private JobStepView view(
      StepExecution step, List<JobStepView> partitions, List<StepExecution> parts) {
    boolean running = step.getStatus().isRunning();
    JobStepView.Counts counts = partitions.isEmpty() ? counts(step) : sum(partitions);
    Double rate = rate(step, counts.read());
    String text = step.getExitStatus().getExitDescription();
    return new JobStepView(
        step.getStepName(),
        partOf(step),
        step.getStatus().name(),
        ExecutionViews.time(step.getStartTime()),
        running ? null : ExecutionViews.time(step.getEndTime()),
        counts,
        progress(step, partitions.isEmpty(), parts, rate),
        rate,
        step.getStatus().isUnsuccessful() ? "" : message(text, step),
        step.getStatus().isUnsuccessful() ? text : "",
        parts.stream()
            .map(it -> text(it.getExecutionContext(), JobProgress.FEEDS))
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null),
        services(parts));
  }

  private static String message(String exit, StepExecution step) {
    String skipped = text(step.getExecutionContext(), SkipReasons.LAST);
    return skipped == null || step.getSkipCount() == 0
        ? exit
        : (exit + " The last item was skipped by " + skipped).strip();
  }

  private static JobStepView.Counts counts(StepExecution step) {
    return new JobStepView.Counts(
        step.getReadCount(),
        step.getWriteCount(),
        step.getFilterCount(),
        step.getReadSkipCount(),
        step.getProcessSkipCount(),
        step.getWriteSkipCount(),
        step.getCommitCount(),
        step.getRollbackCount());
  }

  private static JobStepView.Counts sum(List<JobStepView> partitions) {
    return partitions.stream()
        .map(JobStepView::counts)
        .reduce(new JobStepView.Counts(0, 0, 0, 0, 0, 0, 0, 0), JobStepView.Counts::plus);
  }

  /**
   * Items per second, from the beginning of the step until now or its end.
   *
   * @param read with that of its partitions, so that those that have ended count too
   */
  private @Nullable Double rate(StepExecution step, long read) {
    Instant begun = ExecutionViews.time(step.getStartTime());
    if (begun == null || read == 0) {
      return null;
    }
    Instant ended = ExecutionViews.time(step.getEndTime());
    long millis = Duration.between(begun, ended == null ? clock.instant() : ended).toMillis();
    return millis <= 0 ? null : read * 1e3 / millis;
  }

  /**
   * In items if the total is known, otherwise in partitions that are complete. A restart has
   * executions only of those that were not complete before.
   */
  private static JobStepView.@Nullable Progress progress(
      StepExecution step, boolean undivided, List<StepExecution> parts, @Nullable Double rate) {
    ExecutionContext context = step.getExecutionContext();
    Map<?, ?> all = context.get(JobProgress.PARTITIONS) instanceof Map<?, ?> kept ? kept : Map.of();
    long total = context.getLong(JobProgress.TOTAL, -1);
    long read =
        parts.stream()
            .filter(part -> undivided || part.getStatus() != BatchStatus.STARTING)
            .mapToLong(part -> part.getExecutionContext().getLong(JobProgress.READ, 0))
            .sum();
    long done = context.getLong(JobProgress.EARLIER, 0) + read;
    if (done <= total) {
      return new JobStepView.Progress("items", done, total, secondsLeft(step, total - done, rate));
    }
    if (all.isEmpty()) {
      return null; // there is no total, or it was too small
    }
    long open = parts.stream().filter(it -> it.getStatus() != BatchStatus.COMPLETED).count();
    return new JobStepView.Progress("partitions", all.size() - open, all.size(), null);
  }

  private static @Nullable Double secondsLeft(
      StepExecution step, long left, @Nullable Double rate) {
    return step.getStatus() == BatchStatus.STARTED && rate != null && rate > 0 ? left / rate : null;
  }

  private static List<JobStepView.Chunks> services(List<StepExecution> parts) {
    Map<String, Map<String, Long>> sums = new TreeMap<>();
    for (StepExecution part : parts) {
      if (part.getExecutionContext().get(JobProgress.CALLS) instanceof Map<?, ?> services) {
        services.forEach((service, figures) ->
            ((Map<?, ?>) figures)
                .forEach((figure, value) ->
                    sums.computeIfAbsent((String) service, _ -> new TreeMap<>())
                        .merge((String) figure, ((Number) value).longValue(), Long::sum)));
      }
    }
    List<JobStepView.Chunks> chunks = new ArrayList<>();
    sums.forEach((service, values) -> chunks.add(chunks(service, values)));
    return chunks;
  }

  private static JobStepView.Chunks chunks(String service, Map<String, Long> values) {
    Map<String, Long> reasons = new LinkedHashMap<>();
    values.forEach((figure, count) -> {
      if (figure.startsWith(REASONS)) {
        reasons.put(figure.substring(REASONS.length()), count);
      }
    });
    long sent = values.getOrDefault("sent", 0L);
    long room = values.getOrDefault("room", 0L);
    return new JobStepView.Chunks(
        service,
        values.getOrDefault("calls", 0L),
        sent,
        values.getOrDefault("results", 0L),
        values.getOrDefault("failures", 0L),
        values.getOrDefault("timedOut", 0L),
        room == 0 ? null : Math.min(1, (double) sent / room),
        reasons);
  }

  private static @Nullable String text(ExecutionContext context, String key) {
    return context.get(key) instanceof String text ? text : null;
  }
}
