/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.outbox;

import io.forebay.call.NoEvents;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.outbox.Outbox;
import io.forebay.outbox.TransactionalCalls;
import io.forebay.spring.hosting.OwnService;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The target is a queue in files, of a service that does not perform its messages meanwhile. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration
public class ForebayApplication {

  interface Orders {
    void place(long id, String customer, String text);
  }

  @Bean
  ServiceDefinition<Orders, NoEvents> orders() {
    return ServiceDefinition.of("orders", Orders.class, () -> (_, _, _) -> {});
  }

  @Bean
  OutboxApplication application(
      OwnService<Orders, NoEvents> orders,
      Outbox outbox,
      @Qualifier("forebayOutboxRelay") SmartLifecycle relay) {
    orders.hold("only the outbox is measured");
    TransactionalCalls<Orders> calls = outbox.calls(orders);
    return new OutboxApplication() {

      @Override
      public void send(long id) {
        Order order = Order.of(id);
        calls.send(it -> it.place(order.id(), order.customer(), order.text()));
      }

      @Override
      public void hold() {
        relay.stop();
      }

      @Override
      public long handedOver() {
        return orders.in().stats(0).end().orElse(0);
      }

      @Override
      public String waiting() {
        return "select count(*) from forebay_outbox";
      }
    };
  }
}
