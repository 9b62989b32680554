/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.admin.AdminWebConfiguration;
import io.forebay.admin.history.PerformedLately;
import io.forebay.operations.Audit;
import io.forebay.operations.Services;
import io.forebay.operations.failures.DeadLetters;
import io.forebay.operations.failures.FailedStatements;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.MergedDeadLetters;
import java.time.InstantSource;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Failed statements and dead letters, their groups and their replay. */
@AutoConfiguration(afterName = "io.forebay.admin.services.ServicesAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(DeadLetters.class)
@Import(AdminWebConfiguration.class)
class FailuresAutoConfiguration {

  @Bean
  @ConditionalOnBean(FailedStatements.class)
  FailedStatementsController forebayFailedStatementsController(
      FailedStatements failed, ObjectProvider<Audit> audit) {
    return new FailedStatementsController(failed, audit.getIfAvailable(Audit::none));
  }

  @Bean
  DeadLettersController forebayDeadLettersController(
      DeadLetters letters, ObjectProvider<Audit> audit) {
    return new DeadLettersController(letters, audit.getIfAvailable(Audit::none));
  }

  @Bean
  ReplayPlans forebayReplayPlans(
      ObjectProvider<FailedStatements> failed, DeadLetters letters, ObjectProvider<Audit> audit) {
    Failures statements = failed.getIfAvailable();
    return new ReplayPlans(
        statements == null ? new MergedDeadLetters(List.of()) : statements,
        letters,
        audit.getIfAvailable(Audit::none),
        InstantSource.system());
  }

  @Bean
  OpenFailures forebayOpenFailures(Services services, ReplayPlans plans) {
    return new OpenFailures(
        services, plans.of(Kind.FAILED), plans.of(Kind.DEAD), InstantSource.system());
  }

  @Bean
  FailuresController forebayFailuresController(
      ReplayPlans plans, ObjectProvider<Audit> audit, ObjectProvider<PerformedLately> performed) {
    return new FailuresController(
        plans, audit.getIfAvailable(Audit::none), performed.getIfAvailable(() -> _ -> Double.NaN));
  }

  @Bean
  ReplayPlansController forebayReplayPlansController(
      ReplayPlans plans, ObjectProvider<Audit> audit) {
    return new ReplayPlansController(plans, audit.getIfAvailable(Audit::none));
  }
}
