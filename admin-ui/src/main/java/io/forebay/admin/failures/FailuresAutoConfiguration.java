/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.admin.AdminConfiguration;
import io.forebay.background.BackgroundTask;
import io.forebay.operations.Audit;
import io.forebay.operations.Services;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.GroupReplays;
import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;

/** Failed messages, their groups and their replay. */
@AdminConfiguration
@ConditionalOnBean(Failures.class)
class FailuresAutoConfiguration {

  @Bean
  GroupReplays forebayReplays(Failures failures, ObjectProvider<Audit> audit) {
    return new GroupReplays(failures, audit.getIfAvailable(Audit::none));
  }

  @Bean
  OpenFailureCounts forebayOpenFailures(Services services, Failures failures) {
    return new OpenFailureCounts(services, failures, InstantSource.system());
  }

  @Bean
  BackgroundTask forebayOpenFailuresTask(OpenFailureCounts counts) {
    return counts.task();
  }

  @Bean
  FailuresController forebayFailuresController(Failures failures, ObjectProvider<Audit> audit) {
    return new FailuresController(failures, audit.getIfAvailable(Audit::none));
  }

  @Bean
  GroupsController forebayGroupsController(Failures failures, ObjectProvider<Audit> audit) {
    return new GroupsController(
        failures, audit.getIfAvailable(Audit::none), InstantSource.system());
  }

  @Bean
  ReplaysController forebayReplaysController(
      GroupReplays replays, Failures failures, ObjectProvider<Audit> audit) {
    return new ReplaysController(replays, failures, audit.getIfAvailable(Audit::none));
  }
}
