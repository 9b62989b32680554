/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import java.util.List;
import java.util.stream.Stream;

/**
 * The privileges of a role in schema {@code forebay}. The role that performs statements has none on
 * the tables of the system database, so that no statement can create a token, delete audit entries
 * or resume a paused service.
 */
public enum TableRights {
  GATEWAY(
      List.of(
          new Right("progress"),
          new Right("outcome"),
          new Right("request"),
          new Right("stream"),
          new Right("failed_message")),
      List.of()),
  /** The repository of jobs, without tokens, users, audit and the states of services. */
  JOBS(
      List.of(
          new Right("batch_job_instance"),
          new Right("batch_job_execution"),
          new Right("batch_job_execution_params"),
          new Right("batch_job_execution_context"),
          new Right("batch_step_execution"),
          new Right("batch_step_execution_context"),
          new Right("job_owner"),
          new Right("scheduled_task")),
      List.of("batch_job_instance_seq", "batch_job_execution_seq", "batch_step_execution_seq")),
  /** Tokens, audit entries and the key of senders are never updated. */
  SYSTEM(
      joined(
          JOBS.rights,
          new Right("service_state"),
          new Right("caller_limit"),
          new Right("instance"),
          new Right("hosted_progress"),
          new Right("token", List.of("SELECT", "INSERT", "DELETE")),
          new Right("sender_key", List.of("SELECT", "INSERT")),
          new Right("admin_user"),
          new Right("audit", List.of("SELECT", "INSERT", "DELETE"))),
      JOBS.sequences);

  /** Tables on which the role of statements, and that of jobs, must have no privileges. */
  static final List<String> SECRET =
      SYSTEM.rights.stream()
          .filter(right -> !JOBS.rights.contains(right))
          .map(Right::table)
          .toList();

  private final List<Right> rights;
  private final List<String> sequences;

  TableRights(List<Right> rights, List<String> sequences) {
    this.rights = rights;
    this.sequences = sequences;
  }

  private static List<Right> joined(List<Right> last, Right... first) {
    return Stream.concat(Stream.of(first), last.stream()).toList();
  }

  List<Right> rights() {
    return rights;
  }

  /** Sequences that the role may use. */
  List<String> sequences() {
    return sequences;
  }

  record Right(String table, List<String> privileges) {

    Right(String table) {
      this(table, List.of("SELECT", "INSERT", "UPDATE", "DELETE"));
    }
  }
}
