/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.operations.jobs.FailureSummary;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobStepView;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The sentences about jobs that operators read. */
final class JobSentences {

  /** Begins the failure of an execution whose process died. */
  private static final String LOST = "Recovered: ";

  private static final int LONGEST = 100;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("d MMM HH:mm", Locale.ENGLISH).withZone(ZoneOffset.UTC);

  /** An exception with its package, and its message if that may be shown. */
  private static final Pattern THROWN =
      Pattern.compile("(?:[a-z]\\w*\\.)+(?<type>[A-Z][\\w$]*)(?:: (?<message>.+))?");

  private JobSentences() {}

  /** An execution whose process died. */
  static String dead(JobExecutionView execution) {
    return "Job %s: the process of execution %d is dead. If it is not recovered automatically within a minute, recover and restart it."
        .formatted(execution.job(), execution.id());
  }

  /**
   * The open failures of a job.
   *
   * @param runs at least one, newest first
   * @param again whether the newest resumed a run that had failed
   */
  static String failed(String job, List<JobExecutionView> runs, boolean again) {
    JobExecutionView newest = runs.getFirst();
    if (runs.size() > 1) {
      return "Job %s: %d runs failed. The newest failed%s%s%s %sCorrect the cause, then restart or abandon each of them."
          .formatted(
              job,
              runs.size(),
              again ? " again" : "",
              ended(newest, " at "),
              because(newest),
              done(newest, again));
    }
    if (newest.failure().startsWith(LOST)) {
      return "Job %s: execution %d%s lost its process, and nothing restarts it automatically. Restart or abandon it."
          .formatted(job, newest.id(), parameters(newest));
    }
    return "Job %s failed%s%s%s %sCorrect the cause, then restart execution %d."
        .formatted(
            job,
            again ? " again" : "",
            ended(newest, " at "),
            because(newest),
            done(newest, again),
            newest.id());
  }

  /** What a run did before it failed; empty if its steps do not say. */
  private static String done(JobExecutionView run, boolean again) {
    List<JobStepView.Counts> steps =
        run.steps().stream().filter(it -> it.partOf() == null).map(JobStepView::counts).toList();
    if (steps.isEmpty()) {
      return "";
    }
    String when = again ? " this time" : "";
    long written = steps.stream().mapToLong(JobStepView.Counts::written).sum();
    if (written > 0) {
      return "%,d %s written%s before it failed. "
          .formatted(written, written == 1 ? "record was" : "records were", when);
    }
    // A step that does not count its work has a commit or a rollback.
    boolean begun = steps.stream().anyMatch(it -> it.read() + it.commits() + it.rollbacks() > 0);
    return begun ? "" : "No record was performed%s. ".formatted(when);
  }

  private static String ended(JobExecutionView run, String before) {
    return run.ended() == null ? "" : before + TIME.format(run.ended()) + " UTC";
  }

  private static String because(JobExecutionView failed) {
    String why = why(failed);
    return why.isEmpty() ? ". The log of its process has the reason." : ": " + sentence(why);
  }

  private static String sentence(String text) {
    return text.endsWith(".") || text.endsWith("…") ? text : text + ".";
  }

  /** Why an execution failed: the message, and the exception that had it. */
  static String why(JobExecutionView failed) {
    String cause =
        failed.failure().startsWith(LOST)
            ? "Its process died."
            : FailureSummary.of(failed.failure());
    Matcher thrown = THROWN.matcher(cause);
    if (!thrown.matches()) {
      return cause;
    }
    return thrown.group("message") == null
        ? thrown.group("type") + " (the log of its process has the message)"
        : "%s (%s)".formatted(thrown.group("message"), thrown.group("type"));
  }

  /** So that an operator sees for which time a run is. */
  private static String parameters(JobExecutionView run) {
    String all =
        new TreeMap<>(run.parameters())
            .entrySet().stream()
                .map(it -> it.getKey() + "=" + it.getValue())
                .collect(Collectors.joining(", "));
    return all.isEmpty()
        ? ""
        : " with " + (all.length() > LONGEST ? all.substring(0, LONGEST) + "…" : all);
  }
}
