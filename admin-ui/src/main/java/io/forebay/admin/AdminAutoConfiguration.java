/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.admin.page.PageController;
import io.forebay.operations.Audit;
import io.forebay.operations.Door;
import io.forebay.operations.Instance;
import io.forebay.operations.OperatorCommands;
import io.forebay.operations.Services;
import io.forebay.operations.failures.DeadLetters;
import io.forebay.operations.failures.FailedStatements;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobSchedules;
import io.forebay.operations.jobs.StatementRights;
import jakarta.servlet.ServletContext;
import java.io.IOException;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The admin API. It serves only callers who are logged in and have one of its roles. */
@AutoConfiguration(
    afterName = {
      "io.forebay.spring.OperationsAutoConfiguration",
      "io.forebay.jdbc.spring.GatewayOperationsAutoConfiguration",
      "io.forebay.system.SystemAutoConfiguration"
    })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(Services.class)
@Import(AdminWebConfiguration.class)
class AdminAutoConfiguration {

  @Bean
  ServicesController forebayServicesController(
      Services services, Instance instance, ObjectProvider<Audit> audit) {
    return new ServicesController(services, instance, audit.getIfAvailable(Audit::none));
  }

  @Bean
  OperatorCommands forebayOperatorCommands() {
    return ServicesController.COMMANDS;
  }

  @Bean
  @ConditionalOnBean(FailedStatements.class)
  FailedStatementsController forebayFailedStatementsController(
      FailedStatements failed, ObjectProvider<Audit> audit) {
    return new FailedStatementsController(failed, audit.getIfAvailable(Audit::none));
  }

  @Bean
  @ConditionalOnBean(DeadLetters.class)
  DeadLettersController forebayDeadLettersController(
      DeadLetters letters, ObjectProvider<Audit> audit) {
    return new DeadLettersController(letters, audit.getIfAvailable(Audit::none));
  }

  @Bean
  JobsController forebayJobsController(
      ObjectProvider<JobOperations> jobs,
      ObjectProvider<StatementRights> rights,
      ObjectProvider<Audit> audit) {
    return new JobsController(
        jobs.getIfAvailable(), rights(rights), audit.getIfAvailable(Audit::none));
  }

  @Bean
  SchedulesController forebaySchedulesController(
      ObjectProvider<JobSchedules> schedules,
      ObjectProvider<StatementRights> rights,
      ObjectProvider<Audit> audit) {
    return new SchedulesController(
        schedules.getIfAvailable(), rights(rights), audit.getIfAvailable(Audit::none));
  }

  /**
   * Who may start jobs that perform which statements; nobody without a bean. An application may
   * have one bean for jobs beside that of the door, whose type extends this one.
   */
  static StatementRights rights(ObjectProvider<StatementRights> beans) {
    StatementRights only = beans.getIfUnique();
    if (only != null) {
      return only;
    }
    List<StatementRights> all = beans.stream().toList();
    List<StatementRights> ofJobs =
        all.stream()
            .filter(it -> List.of(it.getClass().getInterfaces()).contains(StatementRights.class))
            .toList();
    if (all.isEmpty()) {
      return (_, _) -> false;
    }
    if (ofJobs.size() != 1) {
      throw new IllegalStateException(
          "There are %d beans of type StatementRights, and it is not known which one decides about jobs; mark one of them @Primary"
              .formatted(all.size()));
    }
    return ofJobs.getFirst();
  }

  @Bean
  DoorController forebayDoorController(ObjectProvider<Door> door) {
    return new DoorController(door.getIfAvailable());
  }

  @Bean
  PageController forebayPageController(ServletContext servlet) throws IOException {
    return new PageController(servlet.getContextPath());
  }

  @Bean
  DemoController forebayDemoController(ObjectProvider<Demo> demo, ObjectProvider<Audit> audit) {
    return new DemoController(demo.getIfAvailable(), audit.getIfAvailable(Audit::none));
  }
}
