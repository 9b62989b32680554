/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.admin.AdminWebConfiguration;
import io.forebay.operations.Audit;
import io.forebay.operations.failures.DeadLetters;
import io.forebay.operations.failures.FailedStatements;
import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Groups of failures and their replay, in applications that record failures. */
@AutoConfiguration(afterName = "io.forebay.admin.AdminAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean({FailedStatements.class, DeadLetters.class})
@Import(AdminWebConfiguration.class)
class FailuresAutoConfiguration {

  @Bean
  ReplayPlans forebayReplayPlans(
      FailedStatements failed, DeadLetters letters, ObjectProvider<Audit> audit) {
    return new ReplayPlans(
        failed, letters, audit.getIfAvailable(Audit::none), InstantSource.system());
  }

  @Bean
  FailuresController forebayFailuresController(ReplayPlans plans) {
    return new FailuresController(plans);
  }
}
