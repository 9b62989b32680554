/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.jdbc.Row;
import io.forebay.jdbc.gateway.StatementClient;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

@Timeout(value = 600, unit = TimeUnit.SECONDS)
class ApplicationTest {

  @TempDir Path directory;

  private ConfigurableApplicationContext start() {
    return new SpringApplicationBuilder(Application.class)
        .run("--forebay.data=" + directory.resolve("data"));
  }

  @Test
  void anOrderIsShippedIfItsTransactionCommits() throws Exception {
    try (ConfigurableApplicationContext application = start()) {
      Orders orders = application.getBean(Orders.class);
      new TransactionTemplate(application.getBean(PlatformTransactionManager.class))
          .executeWithoutResult((TransactionStatus status) -> {
            orders.place("salt");
            status.setRollbackOnly();
          });
      assertThat(orders.awaitShipment(orders.place("coffee"))).isEqualTo("coffee");
      assertThat(shipments(application, "salt")).isZero();
    }
    try (ConfigurableApplicationContext application = start()) {
      assertThat(shipments(application, "coffee")).isEqualTo(1);
      assertThat(shipments(application, "tea")).as("one at each start").isEqualTo(2);
    }
  }

  private static int shipments(ConfigurableApplicationContext application, String item)
      throws Exception {
    return application
        .getBean(StatementClient.class)
        .executeQuery("select id from shipment where item = ?", Row.class, item)
        .get()
        .size();
  }
}
