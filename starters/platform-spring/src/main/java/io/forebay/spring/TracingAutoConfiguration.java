/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.trace.MicrometerTracing;
import io.forebay.trace.Tracing;
import io.micrometer.tracing.Tracer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

@AutoConfiguration
@ConditionalOnClass(Tracer.class)
class TracingAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  Tracing forebayTracing(ObjectProvider<Tracer> tracers) {
    Tracer tracer = tracers.getIfUnique();
    return tracer == null ? Tracing.NONE : new MicrometerTracing(tracer);
  }
}
