/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import io.forebay.hosting.AnswerTransactions;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.ServiceCalls;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.StartRefused;
import io.forebay.queue.QueueBackend;
import io.forebay.service.progress.HostedProgress;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.ResolvableType;

/** Registers the beans of each service. Their types come from the return type of its definition. */
final class OwnServices implements BeanDefinitionRegistryPostProcessor {

  /** What the name of a service's bean adds to that of its definition. */
  static final String SERVICE = "Service";

  @Override
  public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
    if (registry instanceof ConfigurableListableBeanFactory beans) {
      for (String bean : beans.getBeanNamesForType(ServiceDefinition.class, true, false)) {
        ResolvableType definition =
            beans.getMergedBeanDefinition(bean).getResolvableType().as(ServiceDefinition.class);
        Class<?> calls = protocol(bean, definition.getGeneric(0).resolve());
        Class<?> answers = protocol(bean, definition.getGeneric(1).resolve());
        add(registry, beans, bean, calls, answers);
      }
    }
  }

  private static Class<?> protocol(String bean, @Nullable Class<?> type) {
    if (type == null || !type.isInterface()) {
      throw new StartRefused(
          "the method of bean %s must return ServiceDefinition with both of its interfaces, such as ServiceDefinition<Pricing, Prices>; no service was started"
              .formatted(bean));
    }
    return type;
  }

  private static <I, O> void add(
      BeanDefinitionRegistry registry,
      ConfigurableListableBeanFactory beans,
      String bean,
      Class<I> calls,
      Class<O> answers) {
    Supplier<List<O>> receivers =
        () ->
            beans
                .getBeanProvider(answers)
                .orderedStream()
                .filter(it -> !(it instanceof ServiceCalls))
                .toList();
    RootBeanDefinition service = new RootBeanDefinition(OwnService.class);
    service.setTargetType(ResolvableType.forClassWithGenerics(OwnService.class, calls, answers));
    service.setInstanceSupplier(() -> {
      ServiceDefinition<I, O> definition = definition(beans, bean, calls, answers);
      DataDirectory data = beans.getBean(DataDirectory.class);
      HostedProgress progress = beans.getBean(HostedProgress.class);
      AnswerTransactions transactions =
          beans.getBeanProvider(AnswerTransactions.class).getIfAvailable();
      OwnService<?, I> source = Stages.source(beans, bean, definition);
      DefinedService.Parts parts = open(beans.getBean(QueueBackend.class), definition, source);
      return new OwnService<>(
          definition, parts, data.path(), progress, receivers, transactions, source);
    });
    service.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
    registry.registerBeanDefinition(bean + SERVICE, service);

    RootBeanDefinition proxy =
        new RootBeanDefinition(
            calls,
            () -> {
              OwnService<?, ?> called = beans.getBean(bean + SERVICE, OwnService.class);
              // Nobody calls a later stage of a pipeline. No bean, because it would also be a
              // receiver of the answers that it performs.
              return called.source().isPresent() ? null : calls.cast(called.calls());
            });
    proxy.setPrimary(true);
    registry.registerBeanDefinition(bean + "Calls", proxy);
  }

  private static DefinedService.Parts open(
      QueueBackend backend, ServiceDefinition<?, ?> definition, @Nullable OwnService<?, ?> source) {
    try {
      return source == null
          ? DefinedService.Parts.open(backend, definition)
          : DefinedService.Parts.open(backend, definition, source);
    } catch (IllegalStateException e) { // another number of partitions, for example
      throw new StartRefused(
          "service %s cannot start: %s".formatted(definition.name(), e.getMessage()));
    }
  }

  @SuppressWarnings("unchecked") // checked by the comparison
  private static <I, O> ServiceDefinition<I, O> definition(
      ConfigurableListableBeanFactory beans, String bean, Class<I> calls, Class<O> answers) {
    ServiceDefinition<?, ?> definition = beans.getBean(bean, ServiceDefinition.class);
    if (definition.calls().type() != calls || definition.answers().type() != answers) {
      throw new StartRefused(
          "service %s was defined with %s and %s, but its bean method declares %s and %s"
              .formatted(
                  definition.name(),
                  definition.calls().type().getSimpleName(),
                  definition.answers().type().getSimpleName(),
                  calls.getSimpleName(),
                  answers.getSimpleName()));
    }
    return (ServiceDefinition<I, O>) definition;
  }
}
