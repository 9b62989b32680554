/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import io.forebay.hosting.ServiceDefinition;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;

/** Says how to choose if several services have the interface that is injected. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class SameInterfaceFailureAnalyzer
    extends AbstractFailureAnalyzer<NoUniqueBeanDefinitionException> {

  private final BeanFactory beans;

  SameInterfaceFailureAnalyzer(BeanFactory beans) {
    this.beans = beans;
  }

  @Override
  protected @Nullable FailureAnalysis analyze(
      Throwable rootFailure, NoUniqueBeanDefinitionException cause) {
    ResolvableType wanted =
        Objects.requireNonNullElse(cause.getResolvableType(), ResolvableType.NONE);
    Class<?> calls =
        wanted.resolve() == OwnService.class ? wanted.resolveGeneric(0) : wanted.resolve();
    if (calls == null) {
      return null;
    }
    List<String> services = services(calls);
    return services.size() < 2
        ? null
        : new FailureAnalysis(
            "Services %s have the same interface %s".formatted(services, calls.getName()),
            "Choose one where it is injected, by the name of the service: @Qualifier(\"%s\")"
                .formatted(services.getFirst()),
            cause);
  }

  private List<String> services(Class<?> calls) {
    Set<String> services = new TreeSet<>();
    if (beans instanceof ListableBeanFactory all) {
      for (String bean : all.getBeanNamesForType(ServiceDefinition.class, true, false)) {
        ServiceDefinition<?, ?> definition = all.getBean(bean, ServiceDefinition.class);
        if (definition.calls().type() == calls && definition.source().isEmpty()) {
          services.add(definition.name());
        }
      }
    }
    return List.copyOf(services);
  }
}
