/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.bills;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.jdbc.Row;
import io.forebay.jdbc.gateway.StatementClient;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

@Timeout(value = 600, unit = TimeUnit.SECONDS)
class ApplicationTest {

  @TempDir Path directory;

  private ConfigurableApplicationContext start(String... more) {
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.add("--forebay.data=" + directory.resolve("data"));
    return new SpringApplicationBuilder(Application.class).run(arguments.toArray(String[]::new));
  }

  /** Waits until that many bills are booked, and returns what is owed. */
  private static BigDecimal owed(ConfigurableApplicationContext application, int bills)
      throws Exception {
    StatementClient reports = application.getBean(StatementClient.class);
    await()
        .until(
            () -> reports.executeQuery("select id from bill", Row.class).get().size() == bills);
    return (BigDecimal)
        reports.executeQuery("select owed from account", Row.class).get().row(0).get("owed");
  }

  @Test
  void eachOrderIsBookedOnceAlsoAfterARestart() throws Exception {
    BigDecimal three = new BigDecimal("15.00");
    try (ConfigurableApplicationContext application = start()) {
      application.getBean(Orders.class).ordered(UUID.randomUUID(), "salt", 0);
      assertThat(owed(application, 3)).as("not the order that cannot be billed").isEqualTo(three);
    }
    try (ConfigurableApplicationContext application = start()) {
      assertThat(owed(application, 6)).isEqualTo(three.add(three));
    }
  }
}
