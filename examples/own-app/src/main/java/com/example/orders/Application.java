/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.orders;

import io.forebay.hosting.ServiceDefinition;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.service.errors.ErrorPolicy;
import java.time.Duration;
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

  /**
   * Our own interface as a service, with durable queues before and behind it. A call that fails
   * three times, or has a wrong argument, is answered with a failure and becomes a dead letter.
   */
  @Bean
  ServiceDefinition<Pricing, Prices> pricing() {
    return ServiceDefinition.of("pricing", Pricing.class, Prices.class, PriceList::new)
        .withErrorPolicy(
            ErrorPolicy.retry(3, Duration.ofMillis(100))
                .thenDeadLetter()
                .withFatal(IllegalArgumentException.class));
  }

  /** A pipeline: the answers of our service are calls of this one, whose answers are statements. */
  @Bean
  ServiceDefinition<Prices, JDBCStatement> booking(ServiceDefinition<Pricing, Prices> pricing) {
    return ServiceDefinition.of("booking", Prices.class, JDBCStatement.class, Booker::new)
        .from(pricing);
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
