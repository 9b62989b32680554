/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.messages;

import io.forebay.admin.AdminConfiguration;
import io.forebay.operations.Audit;
import io.forebay.operations.messages.Messages;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;

/** Looks into queues. */
@AdminConfiguration
class MessagesAutoConfiguration {

  @Bean
  MessagesController forebayMessagesController(Messages messages, ObjectProvider<Audit> audit) {
    return new MessagesController(messages, audit.getIfAvailable(Audit::none));
  }
}
