/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import io.forebay.hosting.ServiceDefinition;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanInstantiationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports a wrong definition of a service by its own words, without a stack trace. */
final class ServiceDefinitionFailureAnalyzer
    extends AbstractFailureAnalyzer<BeanInstantiationException> {

  @Override
  protected @Nullable FailureAnalysis analyze(
      Throwable rootFailure, BeanInstantiationException cause) {
    Method method = cause.getConstructingMethod();
    if (cause.getBeanClass() != ServiceDefinition.class
        || method == null
        || !(cause.getCause() instanceof IllegalArgumentException wrong)) {
      return null; // what else the method throws is a defect of its own code
    }
    return new FailureAnalysis(
        "The service that %s.%s defines is refused: %s"
            .formatted(method.getDeclaringClass().getName(), method.getName(), wrong.getMessage()),
        null,
        wrong);
  }
}
