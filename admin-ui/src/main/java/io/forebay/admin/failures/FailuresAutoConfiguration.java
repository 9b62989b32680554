/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.operations.Audit;
import io.forebay.operations.failures.DeadLetters;
import io.forebay.operations.failures.FailedStatements;
import io.forebay.operations.failures.Failures;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;

/** Groups of failures and their replay, in applications that record failures. */
@AutoConfiguration(afterName = "io.forebay.admin.AdminAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean({FailedStatements.class, DeadLetters.class})
class FailuresAutoConfiguration {

  @Bean
  ReplayPlans forebayReplayPlans(
      FailedStatements failed, DeadLetters letters, ObjectProvider<Audit> audit) {
    return new ReplayPlans(
        both(failed, letters), audit.getIfAvailable(Audit::none), InstantSource.system());
  }

  @Bean
  FailuresController forebayFailuresController(
      FailedStatements failed, DeadLetters letters, ReplayPlans plans) {
    return new FailuresController(both(failed, letters), plans);
  }

  private static Map<Kind, Failures> both(FailedStatements failed, DeadLetters letters) {
    return new EnumMap<>(Map.of(Kind.FAILED, failed, Kind.DEAD, letters));
  }
}
