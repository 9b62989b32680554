/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import io.forebay.hosting.ServiceDefinition;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;

/**
 * Names the first stage of a pipeline if the calls of a later one, which nobody makes, are
 * injected.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class LaterStageFailureAnalyzer
    extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {

  private final BeanFactory beans;

  LaterStageFailureAnalyzer(BeanFactory beans) {
    this.beans = beans;
  }

  @Override
  protected @Nullable FailureAnalysis analyze(
      Throwable rootFailure, NoSuchBeanDefinitionException cause) {
    Class<?> wanted =
        Objects.requireNonNullElse(cause.getResolvableType(), ResolvableType.NONE).resolve();
    if (wanted == null
        || cause instanceof NoUniqueBeanDefinitionException
        || !(beans instanceof ListableBeanFactory all)) {
      return null;
    }
    List<ServiceDefinition<?, ?>> definitions =
        Stream.of(all.getBeanNamesForType(ServiceDefinition.class, true, false))
            .<ServiceDefinition<?, ?>>map(bean -> all.getBean(bean, ServiceDefinition.class))
            .toList();
    return definitions.stream()
        .filter(it -> it.calls().type() == wanted && it.source().isPresent())
        .findFirst()
        .map(later -> analysis(later, first(later, definitions), cause))
        .orElse(null);
  }

  private static ServiceDefinition<?, ?> first(
      ServiceDefinition<?, ?> later, List<ServiceDefinition<?, ?>> definitions) {
    ServiceDefinition<?, ?> stage = later;
    for (int i = 0; i < definitions.size(); i++) {
      Optional<String> before = stage.source();
      stage =
          definitions.stream()
              .filter(it -> before.filter(it.name()::equals).isPresent())
              .findFirst()
              .orElse(stage);
    }
    return stage;
  }

  private static FailureAnalysis analysis(
      ServiceDefinition<?, ?> later,
      ServiceDefinition<?, ?> first,
      NoSuchBeanDefinitionException cause) {
    return new FailureAnalysis(
        "%s are the calls of service %s, which performs the answers of service %s; nothing else can call it"
            .formatted(later.calls().type().getName(), later.name(), later.source().orElse("")),
        "Inject %s to call the first stage of the pipeline, with @Qualifier(\"%s\") if several services have this interface. To receive the answers of service %s, let a bean implement %s"
            .formatted(
                first.calls().type().getName(),
                first.name(),
                later.source().orElse(""),
                later.calls().type().getName()),
        cause);
  }
}
