/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.admin.AdminWebConfiguration;
import io.forebay.operations.Audit;
import io.forebay.operations.Services;
import io.forebay.operations.failures.Failures;
import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Failed messages, their groups and their replay. */
@AutoConfiguration(afterName = "io.forebay.admin.services.ServicesAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(Failures.class)
@Import(AdminWebConfiguration.class)
class FailuresAutoConfiguration {

  @Bean
  ReplayPlans forebayReplayPlans(Failures failures, ObjectProvider<Audit> audit) {
    return new ReplayPlans(failures, audit.getIfAvailable(Audit::none), InstantSource.system());
  }

  @Bean
  OpenFailureCounts forebayOpenFailures(Services services, Failures failures) {
    return new OpenFailureCounts(services, failures, InstantSource.system());
  }

  @Bean
  FailuresController forebayFailuresController(Failures failures, ObjectProvider<Audit> audit) {
    return new FailuresController(
        failures, audit.getIfAvailable(Audit::none), InstantSource.system());
  }

  @Bean
  ReplayPlansController forebayReplayPlansController(
      ReplayPlans plans, Failures failures, ObjectProvider<Audit> audit) {
    return new ReplayPlansController(plans, failures, audit.getIfAvailable(Audit::none));
  }
}
