/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.undo;

import io.forebay.admin.AdminWebConfiguration;
import io.forebay.admin.alerts.AlertLog;
import io.forebay.admin.verdict.Silences;
import io.forebay.operations.Audit;
import io.forebay.operations.Door;
import io.forebay.operations.Inverse;
import io.forebay.operations.Services;
import io.forebay.operations.failures.DeadLetters;
import io.forebay.operations.failures.FailedStatements;
import io.forebay.operations.jobs.JobSchedules;
import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The undo of commands; a bean of type {@link Inverse} adds what an application can undo. */
@AutoConfiguration(
    afterName = {
      "io.forebay.admin.alerts.AlertsAutoConfiguration",
      "io.forebay.admin.services.ServicesAutoConfiguration",
      "io.forebay.admin.watch.WatchAutoConfiguration",
      "io.forebay.batch.schedules.SchedulesAutoConfiguration",
      "io.forebay.system.SystemAutoConfiguration"
    })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean({Services.class, Audit.class})
@Import(AdminWebConfiguration.class)
class UndoAutoConfiguration {

  private static final InstantSource CLOCK = InstantSource.system();

  @Bean
  UndoController forebayUndoController(Audit audit, ObjectProvider<Inverse> inverses) {
    return new UndoController(audit, inverses.orderedStream().toList());
  }

  @Bean
  Inverse forebayServiceInverse(Services services) {
    return new ServiceInverse(services, CLOCK);
  }

  @Bean
  @ConditionalOnBean(Door.class)
  Inverse forebayCallerInverse(Door door) {
    return new CallerInverse(door, CLOCK);
  }

  @Bean
  @ConditionalOnBean(JobSchedules.class)
  Inverse forebayScheduleInverse(JobSchedules schedules) {
    return new ScheduleInverse(schedules);
  }

  @Bean
  @ConditionalOnBean(FailedStatements.class)
  Inverse forebayFailedStatementInverse(FailedStatements failed) {
    return new FailureInverse("failed", failed);
  }

  @Bean
  @ConditionalOnBean(DeadLetters.class)
  Inverse forebayDeadLetterInverse(DeadLetters letters) {
    return new FailureInverse("dead-letter", letters);
  }

  @Bean
  @ConditionalOnBean({AlertLog.class, Silences.class})
  Inverse forebayAlertInverse(AlertLog log, Silences silences) {
    return new AlertInverse(log, silences, CLOCK);
  }
}
