/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import io.forebay.hosting.AnswerTransactions;
import io.forebay.hosting.HostedService;
import io.forebay.hosting.ServiceCalls;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.StartRefused;
import io.forebay.queue.QueueBackend;
import io.forebay.service.progress.HostedProgress;
import io.forebay.trace.Tracing;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
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
    RootBeanDefinition service = new Named(beans, bean, OwnService.class);
    service.setTargetType(ResolvableType.forClassWithGenerics(OwnService.class, calls, answers));
    service.setInstanceSupplier(() -> {
      ServiceDefinition<I, O> definition = definition(beans, bean, calls, answers);
      mustBeNoGateway(beans, definition);
      DataDirectory data = beans.getBean(DataDirectory.class);
      HostedProgress progress = beans.getBean(HostedProgress.class);
      AnswerTransactions transactions =
          beans.getBeanProvider(AnswerTransactions.class).getIfAvailable();
      OwnService<?, I> source = Stages.source(beans, bean, definition);
      QueueBackend backend = beans.getBean(QueueBackend.class);
      try {
        return new OwnService<>(
            backend, definition, data.path(), progress, receivers, transactions, source);
      } catch (IllegalStateException e) { // another number of partitions, for example
        throw new StartRefused(
            "service %s cannot start: %s".formatted(definition.name(), e.getMessage()), e);
      }
    });
    service.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
    registry.registerBeanDefinition(bean + SERVICE, service);

    registry.registerBeanDefinition(bean + "Calls", new Calls<>(beans, bean, calls));
  }

  /** A gateway has queues of the same names. */
  private static void mustBeNoGateway(
      ConfigurableListableBeanFactory beans, ServiceDefinition<?, ?> definition) {
    String gateway = definition.name() + "Gateway";
    if (beans.containsBean(gateway) && beans.isTypeMatch(gateway, HostedService.class)) {
      throw new StartRefused(
          "service %s cannot have the name of gateway forebay.gateways.%s; give one of them another name"
              .formatted(definition.name(), definition.name()));
    }
  }

  /** A bean of a service, with the name of the service as its qualifier. */
  private static class Named extends RootBeanDefinition {

    private static final long serialVersionUID = 1;

    final transient ConfigurableListableBeanFactory beans;
    final String definition;

    Named(ConfigurableListableBeanFactory beans, String definition, Class<?> type) {
      super(type);
      this.beans = beans;
      this.definition = definition;
    }

    private Named(Named original) {
      super(original);
      this.beans = original.beans;
      this.definition = original.definition;
    }

    final ServiceDefinition<?, ?> defined() {
      return beans.getBean(definition, ServiceDefinition.class);
    }

    /** Asked when a bean is injected by its qualifier; only then the definition is created. */
    @Override
    public @Nullable AutowireCandidateQualifier getQualifier(String type) {
      return type.equals(Qualifier.class.getName())
          ? new AutowireCandidateQualifier(Qualifier.class, defined().name())
          : super.getQualifier(type);
    }

    @Override
    public RootBeanDefinition cloneBeanDefinition() {
      return new Named(this);
    }
  }

  /**
   * The bean that callers inject. Of a later stage of a pipeline, which nobody calls, there is
   * none: it would hide the application's own beans of that interface, and be a receiver of the
   * answers that it performs.
   */
  private static final class Calls<I> extends Named {

    private static final long serialVersionUID = 1;

    private final Class<I> type;

    Calls(ConfigurableListableBeanFactory beans, String definition, Class<I> type) {
      super(beans, definition, type);
      this.type = type;
      setPrimary(true);
      setInstanceSupplier(() ->
          isAutowireCandidate()
              ? type.cast(beans.getBean(definition + SERVICE, OwnService.class).calls())
              : null);
    }

    /** Asked when a bean of the interface is injected; only then the definition is created. */
    @Override
    public boolean isAutowireCandidate() {
      return defined().source().isEmpty();
    }

    /** No copy of the fields, which would ask for {@link #isAutowireCandidate}. */
    @Override
    public RootBeanDefinition cloneBeanDefinition() {
      return new Calls<>(beans, definition, type);
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
    Tracing tracing = beans.getBeanProvider(Tracing.class).getIfAvailable();
    return (ServiceDefinition<I, O>)
        (tracing == null ? definition : definition.withTracing(tracing));
  }
}
