/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.batch.StartedBy;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.commands.RecordedCommand;
import io.forebay.service.progress.Unavailable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Admits a file to be imported, when its content is known, and records it in the audit. Whether the
 * starter may send the statement was decided when the job was started. Thread-safe.
 *
 * <p>Of imports of one content that operators begin at the same time, also at several instances,
 * exactly one is admitted. Each stores its content before it looks for others. One that sees an
 * undecided import with a lower execution id is refused; one that sees an undecided import with a
 * higher id waits until that is admitted or refused. So none waits for one that waits. An import
 * that ended before it was admitted does not count: it handed over nothing.
 */
final class Admission {

  private static final String ADMIN = "admin";

  private static final Duration LOOK = Duration.ofMillis(100);

  /** How long another import may take between storing its content and being admitted or refused. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** What is left of a target of the audit beside statement and hash. */
  private static final int LONGEST_PATH = 300;

  private final Audit audit;
  private final JdbcClient client;
  private final String executions;

  /**
   * @param client the database of the job repository
   * @param tables the prefix of its tables
   */
  Admission(Audit audit, JdbcClient client, String tables) {
    this.audit = audit;
    this.client = client;
    // An execution context that is too long for one column is in the other one.
    executions =
        """
        select e.job_execution_id as id,
          case when position(? in coalesce(c.serialized_context, c.short_context)) > 0
            then 1 else 0 end as admitted,
          e.status as status
        from %1$sjob_execution e
        join %1$sjob_instance i on i.job_instance_id = e.job_instance_id
        join %1$sstep_execution s on s.job_execution_id = e.job_execution_id
        join %1$sstep_execution_context c on c.step_execution_id = s.step_execution_id
        where i.job_name = ? and s.step_name = ? and i.job_instance_id <> ?
        and position(? in coalesce(c.serialized_context, c.short_context)) > 0
        order by e.job_execution_id desc
        """
            .formatted(tables);
  }

  /**
   * Records that an execution reads a file, before a statement is handed over.
   *
   * @param begins whether the import begins; false if it resumes
   * @throws ImportRefused if another import has sent this content with this statement, and no
   *     administrator starts this one
   * @throws Unavailable if the audit does not respond; nothing must be handed over then
   */
  void admit(JobExecution execution, Path file, Content content, boolean begins) {
    Actor by = StartedBy.of(execution);
    String path = file.toString();
    String end =
        path.length() <= LONGEST_PATH ? path : "…" + path.substring(path.length() - LONGEST_PATH);
    Audit.Entry entry =
        Audit.Entry.allowed(
            by,
            "job.import",
            RecordedCommand.imported(content.statement(), content.sha256(), end),
            "execution " + execution.getId());
    audit.perform(
        entry,
        () -> {
          if (begins && !by.role().equals(ADMIN)) {
            mustBeNew(execution, content);
          }
          return content;
        });
  }

  private void mustBeNew(JobExecution execution, Content content) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      List<Other> others = others(execution, content);
      Optional<Other> earlier =
          others.stream().filter(it -> it.admitted() || it.id() < execution.getId()).findFirst();
      if (earlier.isPresent()) {
        throw refusal(earlier.get(), content);
      }
      if (others.isEmpty()) {
        return;
      }
      if (System.nanoTime() - end >= 0) {
        throw refusal(others.getFirst(), content);
      }
      try {
        Thread.sleep(LOOK);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ImportRefused("the import was interrupted before it began; start it again");
      }
    }
  }

  private static ImportRefused refusal(Other other, Content content) {
    return other.admitted()
        ? new ImportRefused(
            "execution %d has already imported this content with statement %s, and its records would be performed again; restart that execution if it is not complete, or let an administrator start this import"
                .formatted(other.id(), content.statement()))
        : new ImportRefused(
            "execution %d begins to import this content with statement %s at the same time, and its records would be performed again; if that import is refused or ends, start this one again"
                .formatted(other.id(), content.statement()));
  }

  /** Other imports of this content that were admitted, or are running and may still be. */
  private List<Other> others(JobExecution execution, Content content) {
    return client
        .sql(executions)
        .params(
            "\"" + ImportState.ADMITTED + "\"",
            ImportJob.NAME,
            ImportJob.STEP,
            execution.getJobInstanceId(),
            "\"" + content.text() + "\"")
        .query((row, _) ->
            new Other(
                row.getLong("id"),
                row.getInt("admitted") == 1,
                BatchStatus.valueOf(row.getString("status")).isRunning()))
        .list()
        .stream()
        .filter(it -> it.admitted() || it.running())
        .toList();
  }

  /** Another execution that has stored this content. */
  private record Other(long id, boolean admitted, boolean running) {}

  /**
   * What an import performs.
   *
   * @param sha256 of the file, in hexadecimal digits
   * @param size of the file, in bytes
   */
  record Content(String sha256, long size, String statement) {

    /** As the execution context of the step has it. */
    String text() {
      return "%s %d %s".formatted(sha256, size, statement);
    }

    static Content of(String text) {
      String[] parts = text.split(" ", 3);
      return new Content(parts[0], Long.parseLong(parts[1]), parts[2]);
    }
  }
}
