/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import io.forebay.hosting.ServiceDefinition;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Lets the back-offs of own services wait for a {@link TestClock}. */
@AutoConfiguration
class ServiceTestAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  TestClock testClock() {
    return new TestClock();
  }

  @Bean
  static BeanPostProcessor testTime(ObjectProvider<TestClock> clock) {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof ServiceDefinition<?, ?> definition
            ? definition.withOptions(definition.options().withTime(clock.getObject()))
            : bean;
      }
    };
  }
}
