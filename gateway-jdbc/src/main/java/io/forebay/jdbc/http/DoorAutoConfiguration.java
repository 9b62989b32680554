/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.Gateways;
import io.forebay.jdbc.http.body.ByteBudget;
import io.forebay.jdbc.http.limit.Callers;
import io.forebay.jdbc.http.limit.CommandedLimits;
import io.forebay.jdbc.http.limit.Permits;
import io.forebay.operations.callers.RateLimits;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.InstantSource;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The HTTP door, if a {@link StatementGrants} bean decides who may send what. */
@AutoConfiguration(after = CatalogueAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean({StatementGrants.class, Gateways.class})
@Import({
  CatalogueController.class,
  ResultPagesController.class,
  ResultsController.class,
  StatementSender.class,
  StatementsController.class,
  Streams.class,
  StreamsController.class
})
class DoorAutoConfiguration {

  /** How many look-ups of results may read a queue at the same time. */
  private static final int MAX_LOOK_UPS = 16;

  @Bean
  @ConditionalOnMissingBean
  DoorLimits forebayDoorLimits() {
    return DoorLimits.of(Runtime.getRuntime().maxMemory());
  }

  @Bean
  WaitingRequests forebayWaiting(DoorLimits limits) {
    return new WaitingRequests(limits.longestWait(), limits.waiting());
  }

  @Bean
  Callers forebayCallers(DoorProperties properties, DoorLimits limits) {
    return properties.limitedCallers(limits.bodyBytes());
  }

  @Bean
  CommandedLimits forebayCommandedLimits(ObjectProvider<RateLimits> stored, Callers callers) {
    return new CommandedLimits(stored::getObject, callers, InstantSource.system());
  }

  /** See {@code docs/admin.md}. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterBinder.class)
  static class Metrics {

    @Bean
    MeterBinder forebayDoorMetrics(Callers callers) {
      return registry ->
          callers
              .refusals()
              .forEach((limit, count) ->
                  FunctionCounter.builder("forebay.door.limited", count, LongAdder::sum)
                      .baseUnit("requests")
                      .tag("limit", limit)
                      .register(registry));
    }
  }

  /** The memory that results may take while they are sent. */
  @Bean
  ByteBudget forebayResultBytes(DoorLimits limits) {
    return new ByteBudget(limits.resultBytes());
  }

  @Bean
  Permits forebayLookUps(Callers callers) {
    return callers.lookUps(MAX_LOOK_UPS);
  }
}
