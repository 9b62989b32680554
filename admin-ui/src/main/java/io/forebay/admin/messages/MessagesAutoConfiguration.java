/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.messages;

import io.forebay.admin.AdminWebConfiguration;
import io.forebay.operations.Audit;
import io.forebay.operations.Services;
import io.forebay.operations.messages.Messages;
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
  MessagesController forebayMessagesController(Messages messages, ObjectProvider<Audit> audit) {
    return new MessagesController(messages, audit.getIfAvailable(Audit::none));
  }
}
