/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import io.forebay.spring.hosting.OwnService;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Lets every test of an application wait for its own services. */
@AutoConfiguration
class WaitAutoConfiguration {

  @Bean
  @Lazy
  ServicesUnderTest servicesUnderTest(
      ObjectProvider<OwnService<?, ?>> services, ObjectProvider<TestClock> clock) {
    return new ServicesUnderTest(services.stream().toList(), clock.getIfAvailable());
  }
}
