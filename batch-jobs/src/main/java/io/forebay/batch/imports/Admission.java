/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.batch.StartedBy;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.service.progress.Unavailable;
import java.nio.file.Path;
import java.util.Optional;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Admits a file to be imported, when its content is known, and records it in the audit. Whether the
 * starter may send the statement was decided when the job was started. Thread-safe.
 */
final class Admission {

  private static final String ADMIN = "admin";

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
        select max(e.job_execution_id) from %1$sjob_execution e
        join %1$sjob_instance i on i.job_instance_id = e.job_instance_id
        join %1$sstep_execution s on s.job_execution_id = e.job_execution_id
        join %1$sstep_execution_context c on c.step_execution_id = s.step_execution_id
        where i.job_name = ? and s.step_name = ? and i.job_instance_id <> ?
        and position(? in coalesce(c.serialized_context, c.short_context)) > 0
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
            "%s sha256:%s %s".formatted(content.statement(), content.sha256(), end),
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
    Optional<Long> earlier =
        client
            .sql(executions)
            .params(
                ImportJob.NAME,
                ImportJob.STEP,
                execution.getJobInstanceId(),
                "\"" + content.text() + "\"")
            .query(Long.class)
            .optional();
    earlier.ifPresent(id -> {
      throw new ImportRefused(
          "execution %d has already imported this content with statement %s, and its records would be performed again; restart that execution if it is not complete, or let an administrator start this import"
              .formatted(id, content.statement()));
    });
  }

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
