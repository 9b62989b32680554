/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.operations.Services;
import io.forebay.operations.failures.Failures;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** The actuator endpoints {@code failed} and {@code drain}. */
@AutoConfiguration(after = OperationsAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
class EndpointAutoConfiguration {

  @Bean
  @ConditionalOnAvailableEndpoint
  FailedMessagesEndpoint forebayFailedMessagesEndpoint(Failures failures) {
    return new FailedMessagesEndpoint(failures);
  }

  @Bean
  @ConditionalOnAvailableEndpoint
  DrainEndpoint forebayDrainEndpoint(Services services) {
    return new DrainEndpoint(services);
  }
}
