/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.database.EmbeddedDatabase;
import io.forebay.database.TestPostgres;
import io.forebay.operations.StartRefused;
import io.forebay.service.progress.Unavailable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A job reaches its own tables, and nothing that controls who may do what. */
class JobsRoleTest {

  private static final SystemDatabase.Role JOBS = new SystemDatabase.Role("forebay_jobs", "");

  @TempDir Path directory;

  private final TestPostgres postgres = TestPostgres.shared();

  private SystemDatabase ofPostgres() {
    TestPostgres.execute(
        postgres.superuser(),
        "do $$ begin if to_regrole('forebay_jobs') is null then"
            + " create role forebay_jobs login; end if; end $$");
    return new SystemDatabase(
        new DriverManagerDataSource(postgres.url(), "forebay_owner", ""), postgres.owner());
  }

  private static void isConfined(SystemLogin database, DataSource owner) {
    try (SystemConnections connections = database.open("jobs", 2, Duration.ofSeconds(10))) {
      JdbcTemplate jobs = new JdbcTemplate(connections);
      jobs.update(
          "insert into forebay.batch_job_instance (job_instance_id, version, job_name, job_key)"
              + " values (1, 0, 'one', 'key')");
      jobs.execute("select count(*) from forebay.batch_job_execution");
      String role =
          jobs.execute(
              (ConnectionCallback<String>) connection -> connection.getMetaData().getUserName());
      JdbcTemplate owning = new JdbcTemplate(owner);
      owning.execute("create table article (id bigint primary key)");
      owning.execute("grant select, insert, update, delete on article to \"" + role + "\"");
      jobs.update("insert into article (id) values (1)");
      for (String refused :
          List.of(
              "select hash from forebay.token",
              "insert into forebay.token (name) values ('thief')",
              "delete from forebay.audit",
              "select password from forebay.admin_user",
              "update forebay.service_state set desired = 'running'",
              "drop table forebay.audit",
              "drop table article")) {
        assertThatThrownBy(() -> jobs.execute(refused))
            .as(refused)
            .isInstanceOf(DataAccessException.class);
      }
    }
  }

  @Test
  void theRoleOfJobsReachesNeitherTokensNorAuditOnPostgresql() {
    try (postgres;
        SystemDatabase system = ofPostgres()) {
      SystemLogin jobs = system.forJobs(JOBS);
      isConfined(jobs, postgres.owner());
      try (SystemConnections connections = jobs.open("jobs", 1, Duration.ofSeconds(10))) {
        JdbcTemplate template = new JdbcTemplate(connections);
        assertThatThrownBy(() -> template.execute("update forebay.progress set epoch = 0"))
            .isInstanceOf(DataAccessException.class);
      }
      assertThat(
              system.<Integer>ask(ask ->
                  ask.sql("select count(*) from forebay.token").query(Integer.class).single()))
          .isZero();
    }
  }

  @Test
  void theUserOfJobsReachesNeitherTokensNorAuditOnTheEmbeddedDatabase() throws Exception {
    try (postgres;
        EmbeddedDatabase embedded = EmbeddedDatabase.open(directory.resolve("db"));
        SystemDatabase system = SystemDatabase.embedded(embedded)) {
      SystemLogin jobs = system.forJobs(null);
      isConfined(jobs, embedded.owner());
      assertThatThrownBy(() -> system.forJobs(JOBS))
          .isInstanceOf(StartRefused.class)
          .hasMessageContaining("remove forebay.jobs.database");
    }
  }

  @Test
  void aRoleThatReachesTheAuditIsRefused() {
    try (postgres;
        SystemDatabase system = ofPostgres()) {
      SystemLogin jobs = system.forJobs(JOBS);
      system.ask(ask -> ask.sql("grant select on forebay.audit to forebay_jobs").update());
      try (SystemConnections connections = jobs.open("jobs", 1, Duration.ofSeconds(10))) {
        assertThatThrownBy(connections::getConnection)
            .hasCauseInstanceOf(Unavailable.class)
            .rootCause()
            .hasMessageContainingAll("role forebay_jobs", "(audit)");
      }
    }
  }
}
