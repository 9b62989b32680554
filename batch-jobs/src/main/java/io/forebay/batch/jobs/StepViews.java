/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import io.forebay.batch.JobProgress;
import io.forebay.batch.NaturalOrder;
import io.forebay.operations.jobs.JobStepView;
import java.time.Duration;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
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

  private static final String CHUNKS = "forebay.chunk.";
  private static final String REASONS = "chunks.";
  private static final Set<String> LIMITS =
      Set.of("maxItems", "maxBytes", "maxInFlight", "lingerMillis", "timeoutMillis");
  private static final String ITEMS = "items";

  private final StepRates rates = new StepRates();
  private final InstantSource clock;

  StepViews(InstantSource clock) {
    this.clock = clock;
  }

  /** The views of an execution's steps, in the same order; but partition 2 comes before 11. */
  List<JobStepView> of(Collection<StepExecution> steps) {
    Map<String, List<JobStepView>> partitions = new HashMap<>();
    Map<String, List<StepExecution>> parts = new HashMap<>();
    for (StepExecution step : steps) {
      String whole = partOf(step);
      if (whole != null) {
        partitions
            .computeIfAbsent(whole, _ -> new ArrayList<>())
            .add(view(step, List.of(), List.of(step)));
        parts.computeIfAbsent(whole, _ -> new ArrayList<>()).add(step);
      }
    }
    Map<String, Iterator<JobStepView>> next = new HashMap<>();
    partitions.forEach((whole, views) -> {
      views.sort(Comparator.comparing(JobStepView::name, NaturalOrder.OF_NAMES));
      next.put(whole, views.iterator());
    });
    List<JobStepView> views = new ArrayList<>();
    for (StepExecution step : steps) {
      String name = step.getStepName();
      String whole = partOf(step);
      views.add(
          whole == null
              ? view(
                  step,
                  partitions.getOrDefault(name, List.of()),
                  parts.getOrDefault(name, List.of(step)))
              : Objects.requireNonNull(next.get(whole)).next());
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
    Double rate = running ? rateNow(step, counts.read()) : average(step, counts.read());
    return new JobStepView(
        step.getStepName(),
        partOf(step),
        step.getStatus().name(),
        ExecutionViews.time(step.getStartTime()),
        running ? null : ExecutionViews.time(step.getEndTime()),
        counts,
        partitions.isEmpty() ? progress(step, rate) : progressOfAll(step, partitions, parts, rate),
        rate,
        step.getStatus().isUnsuccessful() ? "" : ExecutionViews.text(step.getExitStatus()),
        step.getStatus().isUnsuccessful() ? ExecutionViews.text(step.getExitStatus()) : "",
        parts.stream()
            .map(it -> text(it.getExecutionContext(), JobProgress.FEEDS))
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null),
        services(parts));
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
   * In items if the totals of the step or of all partitions of this execution are known, otherwise
   * in partitions that are complete. A restart has only those that were not complete before; the
   * items of the others are what the step read earlier, without what these read.
   */
  private JobStepView.@Nullable Progress progressOfAll(
      StepExecution whole,
      List<JobStepView> partitions,
      List<StepExecution> parts,
      @Nullable Double rate) {
    ExecutionContext context = whole.getExecutionContext();
    int all =
        context.get(JobProgress.PARTITIONS) instanceof Map<?, ?> kept
            ? kept.size()
            : partitions.size();
    List<JobStepView.Progress> items =
        partitions.stream()
            .map(JobStepView::progress)
            .filter(Objects::nonNull)
            .filter(it -> it.unit().equals(ITEMS))
            .toList();
    Long total = number(context, JobProgress.TOTAL);
    long done = 0;
    if (total != null) {
      done = before(context) + parts.stream().mapToLong(StepViews::readNow).sum();
    } else if (items.size() == parts.size() && (parts.size() == all || before(context) > 0)) {
      long complete =
          Math.max(0, before(context) - parts.stream().mapToLong(StepViews::readBeforehand).sum());
      total = complete + items.stream().mapToLong(JobStepView.Progress::total).sum();
      done = complete + items.stream().mapToLong(JobStepView.Progress::done).sum();
    }
    if (total != null && done <= total) {
      return new JobStepView.Progress(ITEMS, done, total, secondsLeft(whole, total - done, rate));
    }
    long open = partitions.stream().filter(it -> !it.state().equals("COMPLETED")).count();
    return new JobStepView.Progress("partitions", all - open, all, null);
  }

  /**
   * @param read with that of its partitions, so that those that have ended count too
   */
  private @Nullable Double rateNow(StepExecution step, long read) {
    if (step.getStatus() == BatchStatus.STARTING) {
      return null; // the time before it begins does not count
    }
    return rates.rate(
        step.getId(), ExecutionViews.time(step.getStartTime()), read, clock.instant());
  }

  private static @Nullable Double average(StepExecution step, long read) {
    LocalDateTime begun = step.getStartTime();
    LocalDateTime ended = step.getEndTime();
    if (begun == null || ended == null || read == 0) {
      return null;
    }
    long millis = Duration.between(begun, ended).toMillis();
    return millis <= 0 ? null : read * 1e3 / millis;
  }

  private JobStepView.@Nullable Progress progress(StepExecution step, @Nullable Double rate) {
    ExecutionContext context = step.getExecutionContext();
    Long total = number(context, JobProgress.TOTAL);
    if (total == null || total < 0) {
      return null;
    }
    long done = before(context) + read(step);
    return done > total // the announced total was too small, and the real one is unknown
        ? null
        : new JobStepView.Progress(ITEMS, done, total, secondsLeft(step, total - done, rate));
  }

  /** What is done in addition to the items that this execution has read. */
  private static long before(ExecutionContext context) {
    return context.getLong(JobProgress.EARLIER, 0) + context.getLong(JobProgress.BEFORE, 0);
  }

  /** The items that the execution read in committed chunks; before it begins, the one before it. */
  private static long read(StepExecution step) {
    Long committed = number(step.getExecutionContext(), JobProgress.READ);
    return committed == null ? step.getReadCount() : committed;
  }

  /** What this execution of a partition read; earlier ones are in the figures of the whole step. */
  private static long readNow(StepExecution partition) {
    return partition.getStatus() == BatchStatus.STARTING ? 0 : read(partition);
  }

  /** What earlier executions of a partition read. */
  private static long readBeforehand(StepExecution partition) {
    return partition.getExecutionContext().getLong(JobProgress.EARLIER, 0)
        + read(partition)
        - readNow(partition);
  }

  private static @Nullable Double secondsLeft(
      StepExecution step, long left, @Nullable Double rate) {
    return step.getStatus() == BatchStatus.STARTED && rate != null && rate > 0 ? left / rate : null;
  }

  private static List<JobStepView.Chunks> services(List<StepExecution> parts) {
    Map<String, Map<String, Long>> figures = new TreeMap<>();
    for (StepExecution part : parts) {
      for (Map.Entry<String, Object> entry : part.getExecutionContext().entrySet()) {
        if (entry.getKey().startsWith(CHUNKS) && entry.getValue() instanceof Number number) {
          add(figures, entry.getKey().substring(CHUNKS.length()), number.longValue());
        }
      }
    }
    List<JobStepView.Chunks> services = new ArrayList<>();
    figures.forEach((service, values) -> services.add(chunks(service, values)));
    return services;
  }

  /** Adds a figure; its name is that of the service, a dot, and what it counts or limits. */
  private static void add(Map<String, Map<String, Long>> figures, String name, long value) {
    int reason = name.lastIndexOf("." + REASONS);
    int dot = reason < 0 ? name.lastIndexOf('.') : reason;
    if (dot > 0) {
      String figure = name.substring(dot + 1);
      figures
          .computeIfAbsent(name.substring(0, dot), _ -> new TreeMap<>())
          .merge(figure, value, LIMITS.contains(figure) ? Math::max : Long::sum);
    }
  }

  private static JobStepView.Chunks chunks(String service, Map<String, Long> values) {
    Map<String, Long> reasons = new LinkedHashMap<>();
    values.forEach((figure, count) -> {
      if (figure.startsWith(REASONS)) {
        reasons.put(figure.substring(REASONS.length()), count);
      }
    });
    JobStepView.Limits limits = limits(values);
    long sent = values.getOrDefault("sent", 0L);
    long room =
        limits == null
            ? 0
            : limits.maxItems() * reasons.values().stream().mapToLong(Long::longValue).sum();
    return new JobStepView.Chunks(
        service,
        values.getOrDefault("calls", 0L),
        sent,
        values.getOrDefault("results", 0L),
        values.getOrDefault("failures", 0L),
        values.getOrDefault("timedOut", 0L),
        limits,
        room == 0 ? null : Math.min(1, (double) sent / room),
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
}
