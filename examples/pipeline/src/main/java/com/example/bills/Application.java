/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.bills;

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

  @Bean
  ServiceDefinition<Orders, Bills> billing() {
    return ServiceDefinition.of("billing", Orders.class, Bills.class, Biller::new)
        .withPartitions(2)
        .withErrorPolicy(
            ErrorPolicy.retry(3, Duration.ofMillis(100))
                .thenDeadLetter()
                .withFatal(IllegalArgumentException.class));
  }

  /** Its answers are statements, which the gateway of application.yaml performs. */
  @Bean
  ServiceDefinition<Bills, JDBCStatement> booking(ServiceDefinition<Orders, Bills> billing) {
    return ServiceDefinition.of("booking", Bills.class, JDBCStatement.class, Booker::new)
        .from(billing);
  }

  /** Returns in microseconds for each order; they are booked soon, even if the process dies now. */
  @Bean
  ApplicationRunner someOrders(Orders orders) {
    return _ -> {
      for (int count = 1; count <= 3; count++) {
        orders.ordered(UUID.randomUUID(), "tea", count);
      }
      System.out.println("Three orders are accepted; they are billed and booked from now on");
    };
  }
}
