/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One step of an execution. What cannot be told is null, never a guess.
 *
 * @param updated when its counts were last written, as a rule at the end of a chunk
 * @param message as {@link JobExecutionView#message}
 * @param failure as {@link JobExecutionView#failure}
 * @param progress how far it is; null if the job did not tell how much there is
 * @param perSecond items read, over the last minute while it runs; null before there is a measure
 * @param waiting what it waits for, if it says so
 * @param services what its chunks of calls were like, by service
 */
public record JobStepView(
    String name,
    String state,
    @Nullable Instant started,
    @Nullable Instant ended,
    @Nullable Instant updated,
    Counts counts,
    @Nullable Progress progress,
    @Nullable Double perSecond,
    String message,
    String failure,
    @Nullable String waiting,
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
      long rollbacks) {}

  /**
   * @param unit of what is counted: {@code items} or {@code bytes}
   * @param done of {@code total}, with what earlier executions did
   * @param secondsLeft until its end at the rate of the last minute; null if that cannot be told
   */
  public record Progress(String unit, long done, long total, @Nullable Double secondsLeft) {}

  /**
   * Calls of a service that travelled in chunks.
   *
   * @param calls that the items made
   * @param sent how many of these left in chunks
   * @param maxItems how many calls a chunk may hold; 0 if it was not told
   * @param fill how full chunks were, from 0 to 1; null if none left or it was not told how large
   *     they may be
   * @param reasons how many chunks left for which reason
   */
  public record Chunks(
      String service,
      long calls,
      long sent,
      long results,
      long failures,
      long timedOut,
      long maxItems,
      @Nullable Double fill,
      Map<String, Long> reasons) {

    public Chunks {
      reasons = Map.copyOf(reasons);
    }
  }
}
