/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.machine.Machine;
import io.forebay.operations.Audit;
import io.forebay.operations.Instances;
import io.forebay.queue.sender.SenderKeys;
import io.forebay.service.progress.HostedProgress;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** The stores of tokens, users, audit and the key of senders. */
@AutoConfiguration(afterName = "io.forebay.system.SystemDatabaseAutoConfiguration")
@ConditionalOnBean(SystemDatabase.class)
@EnableConfigurationProperties(AuditProperties.class)
class SystemAutoConfiguration {

  @Bean
  @Lazy
  @ConditionalOnMissingBean
  TokenStore forebayTokens(SystemDatabase database) {
    return new TokenStore(database);
  }

  @Bean
  @Lazy
  @ConditionalOnMissingBean
  UserStore forebayUsers(SystemDatabase database) {
    return new UserStore(database);
  }

  @Bean
  @Lazy
  @ConditionalOnMissingBean(Instances.class)
  InstanceTable forebayInstances(SystemDatabase database) {
    return new InstanceTable(database);
  }

  @Bean
  @Lazy
  @ConditionalOnMissingBean(HostedProgress.class)
  HostedProgressTable forebayHostedProgress(SystemDatabase database) {
    return new HostedProgressTable(database);
  }

  @Bean
  @Lazy
  @ConditionalOnMissingBean(SenderKeys.class)
  SenderKeyTable forebaySenderKeys(ObjectProvider<SystemDatabase> database) {
    return new SenderKeyTable(database::getObject);
  }

  @Bean(initMethod = "start")
  @Lazy
  @ConditionalOnMissingBean(Audit.class)
  AuditTable forebayAudit(SystemDatabase database, AuditProperties properties) {
    return new AuditTable(database, properties.kept(), Machine.wall());
  }
}
