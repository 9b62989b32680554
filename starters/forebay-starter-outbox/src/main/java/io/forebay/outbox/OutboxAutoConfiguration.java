/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.hosting.HostedService;
import io.forebay.operations.StartRefused;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.BrokerRouting;

/** The outbox in the application's own database. */
@AutoConfiguration(
    after = DataSourceAutoConfiguration.class,
    afterName = "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration")
@ConditionalOnSingleCandidate(DataSource.class)
class OutboxAutoConfiguration {

  /** Its table comes after the caller's own: Flyway refuses to begin in a schema with tables. */
  @Bean
  @DependsOnDatabaseInitialization
  Relay forebayOutboxRelay(DataSource database, ObjectProvider<HostedService<?, ?>> services)
      throws SQLException {
    OutboxTable.migrate(database);
    return new Relay(database, () -> callable(services));
  }

  private static Map<String, HostedService<?, ?>> callable(
      ObjectProvider<HostedService<?, ?>> services) {
    return services.stream()
        .filter(service -> service.source().isEmpty())
        .collect(Collectors.toMap(HostedService::name, Function.identity()));
  }

  @Bean
  SmartInitializingSingleton forebayOutboxBegin(Relay relay) {
    return () -> {
      try {
        relay.begin();
      } catch (SQLException e) {
        throw new StartRefused("The database of the outbox does not respond: " + e.getMessage(), e);
      }
    };
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterBinder.class)
  static class Metrics {

    @Bean
    MeterBinder forebayOutboxMetrics(Relay relay) {
      return registry -> {
        Gauge.builder("forebay.outbox.behind.seconds", () -> relay.behind().toMillis() / 1e3)
            .baseUnit("seconds")
            .register(registry);
        FunctionCounter.builder("forebay.outbox.accepted", relay, Relay::accepted)
            .baseUnit("messages")
            .register(registry);
      };
    }
  }

  @Bean
  Outbox forebayOutbox(DataSource database, Relay relay) {
    return new Outbox(database, relay);
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnBooleanProperty(
      name = "spring.modulith.events.externalization.enabled",
      matchIfMissing = true)
  @ConditionalOnProperty(
      name = "spring.modulith.events.externalization.mode",
      havingValue = "outbox")
  static class Modulith {

    /** Without the other bean, events would not be sent, and nothing would say so. */
    @Bean
    SmartInitializingSingleton forebayExternalizedEventsAreSent(BeanFactory beans) {
      return () -> {
        if (!beans.containsBean("forebayExternalizedEvents")) {
          throw new StartRefused(
              "spring.modulith.events.externalization.mode=outbox has no effect, because there is no EventExternalizationConfiguration of Spring Modulith; add the dependency org.springframework.modulith:spring-modulith-starter-jdbc, or remove the property");
        }
      };
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(BrokerRouting.class)
    @ConditionalOnBean(EventExternalizationConfiguration.class)
    static class Events {

      @Bean
      ExternalizedEvents forebayExternalizedEvents(
          EventExternalizationConfiguration configuration,
          BeanFactory beans,
          Outbox outbox,
          ObjectProvider<HostedService<?, ?>> services) {
        StandardEvaluationContext context = new StandardEvaluationContext();
        context.setBeanResolver(new BeanFactoryResolver(beans));
        return new ExternalizedEvents(configuration, context, outbox, () -> callable(services));
      }
    }
  }
}
