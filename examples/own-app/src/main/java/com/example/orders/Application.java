/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.orders;

import io.forebay.hosting.ServiceDefinition;
import java.math.BigDecimal;
import java.util.UUID;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

@SpringBootApplication
class Application {

  static void main(String[] args) {
    SpringApplication.run(Application.class, args);
  }

  /** Our own interface as a service, with durable queues before and behind it. */
  @Bean
  ServiceDefinition<Pricing, Prices> pricing() {
    BigDecimal each = new BigDecimal("2.50");
    return ServiceDefinition.of(
        "pricing",
        Pricing.class,
        Prices.class,
        prices -> (order, count) -> prices.priced(order, each.multiply(BigDecimal.valueOf(count))));
  }

  @Bean
  ApplicationRunner oneOrder(Orders orders) {
    return _ -> {
      UUID order = UUID.randomUUID();
      orders.place(order, "tea", 4);
      System.out.println("Order " + order + " costs " + orders.awaitTotal(order));
    };
  }
}
