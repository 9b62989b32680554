/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.outbox;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskExecutor;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.support.EventExternalizerModuleListener;

/** The target only counts. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration
public class ModulithApplication {

  private final LongAdder handedOver = new LongAdder();

  /** While the messages are written, none is handed over, as if the process died before. */
  @Bean
  @ConditionalOnBooleanProperty("outbox.writes")
  TaskExecutor applicationTaskExecutor() {
    return _ -> {};
  }

  @Bean
  static EventExternalizationConfiguration events() {
    return EventExternalizationConfiguration.externalizing()
        .select(OutboxApplication.Order.class::isInstance)
        .routeAll(_ -> RoutingTarget.forTarget("orders").withoutKey())
        .build();
  }

  @Bean
  EventExternalizerModuleListener target(EventExternalizationConfiguration events) {
    return new EventExternalizerModuleListener(
        events,
        (_, _) -> {
          handedOver.increment();
          return CompletableFuture.completedFuture(null);
        });
  }

  @Bean
  OutboxApplication application(
      ApplicationEventPublisher events, IncompleteEventPublications publications) {
    return new OutboxApplication() {

      @Override
      public void send(long id) {
        events.publishEvent(Order.of(id));
      }

      @Override
      public void handOver() {
        publications.resubmitIncompletePublications(_ -> true);
      }

      @Override
      public long handedOver() {
        return handedOver.sum();
      }

      @Override
      public String waiting() {
        return "select count(*) from event_publication where completion_date is null";
      }
    };
  }
}
