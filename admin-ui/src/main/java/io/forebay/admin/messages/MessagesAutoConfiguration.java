/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.messages;

import io.forebay.admin.AdminWebConfiguration;
import io.forebay.operations.Audit;
import io.forebay.operations.Services;
import io.forebay.operations.failures.DeadLetters;
import io.forebay.operations.failures.FailedStatements;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.messages.Messages;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Looks into queues. */
@AutoConfiguration(afterName = "io.forebay.admin.services.ServicesAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(Services.class)
@Import(AdminWebConfiguration.class)
class MessagesAutoConfiguration {

  @Bean
  MessagesController forebayMessagesController(
      Messages messages,
      ObjectProvider<FailedStatements> failed,
      ObjectProvider<DeadLetters> letters,
      ObjectProvider<Audit> audit) {
    Map<String, Failures> failures = new LinkedHashMap<>();
    failed.ifAvailable(it -> failures.put("failed", it));
    letters.ifAvailable(it -> failures.put("dead", it));
    return new MessagesController(messages, failures, audit.getIfAvailable(Audit::none));
  }

  @Bean
  TailController forebayTailController(Messages messages) {
    return new TailController(messages);
  }
}
