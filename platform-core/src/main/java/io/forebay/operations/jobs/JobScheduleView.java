/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.jobs;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * A schedule of a job. Unknown values are null.
 *
 * @param cron when it is due, in Spring's notation with seconds
 * @param zone the time zone of {@code cron}
 * @param changedBy who paused or resumed it; empty if nobody did
 * @param reason why; may be empty
 * @param next the next due time; null if there is none
 * @param due the due time of the last run
 * @param mustEnd when the last run has to be complete; null if the schedule has no window
 * @param last the newest execution of the last run, with its steps
 * @param problem why the last due run was not started; empty if it was
 * @param incomplete the newest executions of its runs that failed or were stopped within the last 7
 *     days, also before the last run; at most 20, the oldest first. A run leaves this list when it
 *     is restarted or abandoned
 * @param continued executions whose process died or shut down, and that are or will be continued
 *     automatically
 */
public record JobScheduleView(
    String name,
    String job,
    String cron,
    String zone,
    boolean paused,
    String changedBy,
    String reason,
    @Nullable Instant next,
    @Nullable Instant due,
    @Nullable Instant mustEnd,
    @Nullable JobExecutionView last,
    String problem,
    List<JobExecutionView> incomplete,
    List<Long> continued) {

  public JobScheduleView {
    incomplete = List.copyOf(incomplete);
    continued = List.copyOf(continued);
  }

  /** The state of this schedule in the audit. */
  public SequencedMap<String, String> fields() {
    return fields(paused, reason, changedBy);
  }

  /** A state of a schedule in the audit; reason and operator only of a paused one. */
  public static SequencedMap<String, String> fields(boolean paused, String reason, String by) {
    SequencedMap<String, String> fields = new LinkedHashMap<>();
    fields.put("state", paused ? "paused" : "running");
    if (paused) {
      fields.put("reason", reason);
      fields.put("by", by);
    }
    return fields;
  }
}
