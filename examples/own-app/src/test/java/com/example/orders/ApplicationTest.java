/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.call.CallGivenUp;
import io.forebay.call.PendingResult;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import io.forebay.spring.hosting.OwnService;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.ClassUtils;

@Timeout(value = 600, unit = TimeUnit.SECONDS)
class ApplicationTest {

  @TempDir Path directory;

  private ConfigurableApplicationContext start() {
    return new SpringApplicationBuilder(Application.class)
        .run("--forebay.data=" + directory.resolve("data"));
  }

  @Test
  void ordersArePlacedPricedAndStillThereAfterARestart() throws Exception {
    UUID order = UUID.randomUUID();
    try (ConfigurableApplicationContext application = start()) {
      Orders orders = application.getBean(Orders.class);
      orders.place(order, "coffee", 3);
      assertThat(orders.awaitTotal(order)).isEqualTo(new BigDecimal("7.50"));
    }
    try (ConfigurableApplicationContext application = start()) {
      assertThat(application.getBean(Orders.class).awaitTotal(order))
          .isEqualTo(new BigDecimal("7.50"));
      String placed = "update orders set total = total where item in ('tea', 'coffee')";
      assertThat(application.getBean(StatementClient.class).executeUpdate(placed).get())
          .as("the coffee, and a tea at each start")
          .isEqualTo(3);
    }
  }

  @Test
  void aCallThatFailsIsADeadLetterAndDoesNotStopTheService() throws Exception {
    try (ConfigurableApplicationContext application = start()) {
      Orders orders = application.getBean(Orders.class);
      orders.place(UUID.randomUUID(), "coffee", -3);
      UUID order = UUID.randomUUID();
      orders.place(order, "coffee", 3);

      assertThat(orders.awaitTotal(order)).isEqualTo(new BigDecimal("7.50"));
      assertThat(orders.failures()).containsValue("count is -3, minimum 1");
      assertThat(application.getBean(Failures.class).list("pricing", null, 10).failures())
          .extracting(Failure::kind)
          .containsExactly("java.lang.IllegalArgumentException");
    }
  }

  @Test
  void eachPriceIsBookedOnceAlsoAfterARestart() throws Exception {
    BigDecimal tea = new BigDecimal("10.00");
    try (ConfigurableApplicationContext application = start()) {
      application.getBean(Orders.class).place(UUID.randomUUID(), "salt", 0);
      assertThat(owed(application, 1)).as("not the order without a price").isEqualTo(tea);
    }
    try (ConfigurableApplicationContext application = start()) {
      assertThat(owed(application, 2)).isEqualTo(tea.add(tea));
    }
  }

  /** Waits until that many bills are booked, and returns what is owed. */
  private static BigDecimal owed(ConfigurableApplicationContext application, int bills)
      throws Exception {
    StatementClient client = application.getBean(StatementClient.class);
    await()
        .until(() -> client.executeQuery("select id from bill", Row.class).get().size() == bills);
    return (BigDecimal)
        client.executeQuery("select owed from account", Row.class).get().row(0).get("owed");
  }

  @Test
  void aQuoteIsReturnedAndFoundByItsIdAfterARestart() throws Exception {
    UUID id;
    try (ConfigurableApplicationContext application = start()) {
      Pricing pricing = application.getBean(Pricing.class);
      CompletableFuture<BigDecimal> quote = pricing.quote(2);
      assertThat(quote.get(30, TimeUnit.SECONDS)).isEqualTo(new BigDecimal("5.00"));
      assertThatThrownBy(() -> pricing.quote(0).get(30, TimeUnit.SECONDS))
          .hasCauseInstanceOf(CallGivenUp.class)
          .hasMessageContaining("count is 0, minimum 1");
      id = PendingResult.id(quote);
    }
    try (ConfigurableApplicationContext application = start()) {
      OwnService pricing = application.getBean("pricingService", OwnService.class);
      assertThat(pricing.result(id, BigDecimal.class)).isCompletedWithValue(new BigDecimal("5.00"));
    }
  }

  @Test
  void theStarterBringsNoWebServer() {
    assertThat(ClassUtils.isPresent("org.springframework.web.servlet.DispatcherServlet", null))
        .isFalse();
  }

  @Test
  void theOptionsOfThisTestAreThoseOfTheDocument() throws Exception {
    String document = Files.readString(Path.of("../../docs/configuration.md"));
    assertThat(ManagementFactory.getRuntimeMXBean().getInputArguments())
        .filteredOn(it -> it.startsWith("--"))
        .isNotEmpty()
        .allSatisfy(option -> assertThat(document).contains(option));
  }
}
