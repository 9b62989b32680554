/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.jobs;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One step of an execution. Unknown values are null, never a guess.
 *
 * @param partOf the name of the step of which it is a partition; null if it is none. The figures of
 *     that step are those of all its partitions
 * @param message its exit message; empty if there is none or it failed
 * @param failure see {@link JobExecutionView#failure}
 * @param progress how much is done; null if the job does not report a total
 * @param perSecond items read per second since it began; null if it has read none
 * @param feeds the service to whose queue it appends; null if it reports none
 * @param services figures of its call chunks, by service
 */
public record JobStepView(
    String name,
    @Nullable String partOf,
    String state,
    @Nullable Instant started,
    @Nullable Instant ended,
    Counts counts,
    @Nullable Progress progress,
    @Nullable Double perSecond,
    String message,
    String failure,
    @Nullable String feeds,
    List<Chunks> services) {

  public JobStepView {
    services = List.copyOf(services);
  }

  /** Since this execution of the step began. */
  public record Counts(
      long read,
      long written,
      long filtered,
      long readSkips,
      long processSkips,
      long writeSkips,
      long commits,
      long rollbacks) {

    /** The sums of both. */
    public Counts plus(Counts other) {
      return new Counts(
          read + other.read,
          written + other.written,
          filtered + other.filtered,
          readSkips + other.readSkips,
          processSkips + other.processSkips,
          writeSkips + other.writeSkips,
          commits + other.commits,
          rollbacks + other.rollbacks);
    }
  }

  /**
   * @param unit {@code items} or {@code partitions}
   * @param done how many of {@code total} are done, including those of earlier executions
   * @param secondsLeft the time to its end at this rate; null if unknown
   */
  public record Progress(String unit, long done, long total, @Nullable Double secondsLeft) {}

  /**
   * Calls of a service that were sent in chunks.
   *
   * @param calls that the items made
   * @param sent how many of these were sent in chunks
   * @param fill how full chunks were, from 0 to 1; null if none was sent
   * @param reasons how many chunks were sent, by reason
   */
  public record Chunks(
      String service,
      long calls,
      long sent,
      long results,
      long failures,
      long timedOut,
      @Nullable Double fill,
      Map<String, Long> reasons) {

    public Chunks {
      reasons = Map.copyOf(reasons);
    }
  }
}
