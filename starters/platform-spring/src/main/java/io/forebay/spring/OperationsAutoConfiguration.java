/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.hosting.HostedService;
import io.forebay.operations.DesiredStates;
import io.forebay.operations.GracefulStop;
import io.forebay.operations.Instance;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.Services;
import io.forebay.operations.failures.FailureSource;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.messages.Messages;
import io.forebay.operations.messages.StatementNames;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.stored.StoredQueues;
import io.forebay.service.Service;
import java.time.Duration;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Collects all services that are beans: those of gateways and those of the user. */
@AutoConfiguration
class OperationsAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  Services forebayServices(
      ObjectProvider<ServiceOperations> owners,
      ObjectProvider<Service<?, ?>> services,
      ObjectProvider<DesiredStates> kept) {
    return new Services(
        Stream.concat(owners.stream(), services.stream().map(it -> new HostedService<>(it)))
            .toList(),
        kept.getIfAvailable());
  }

  @Bean
  @ConditionalOnMissingBean
  Failures forebayFailures(
      ObjectProvider<FailureSource> sources, ObjectProvider<Services> services) {
    return new Failures(
        sources.orderedStream().flatMap(it -> it.failures().stream()).toList(),
        () -> services.getObject().all().stream().map(ServiceOperations::name).sorted().toList());
  }

  @Bean
  @ConditionalOnMissingBean
  Messages forebayMessages(
      ObjectProvider<StoredQueues> queues,
      ObjectProvider<StatementNames> names,
      Services services) {
    return new Messages(
        queues.getIfAvailable(StoredQueues::none),
        names.getIfAvailable(StatementNames::none),
        services);
  }

  @Bean
  @ConditionalOnMissingBean
  Instance forebayInstance(ObjectProvider<QueueBackend> backend) {
    QueueBackend active = backend.getIfAvailable();
    return Instance.current(active == null ? "none" : active.name());
  }

  @Bean
  @ConditionalOnMissingBean
  GracefulStop forebayGracefulStop(Services services, Environment environment) {
    return new GracefulStop(
        services,
        Binder.get(environment)
            .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
            .orElse(Duration.ofSeconds(10)));
  }

  @Bean
  KeepAlive forebayKeepAlive(Services services, Environment environment) {
    return new KeepAlive(
        !services.all().isEmpty()
            && environment.getProperty("spring.main.keep-alive", boolean.class, true));
  }

  @Bean
  GracefulStopLifecycle forebayGracefulStopLifecycle(GracefulStop stop) {
    return new GracefulStopLifecycle(stop);
  }
}
