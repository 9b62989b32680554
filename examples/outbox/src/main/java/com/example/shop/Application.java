/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.shop;

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
  ApplicationRunner oneOrder(Orders orders) {
    return _ -> {
      UUID order = orders.place("tea");
      System.out.println("Order " + order + " is shipped: " + orders.awaitShipment(order));
    };
  }
}
