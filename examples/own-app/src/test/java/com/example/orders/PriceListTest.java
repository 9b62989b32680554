/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.orders;

import static io.forebay.test.Answer.answer;
import static io.forebay.test.Answer.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.test.TestService;
import java.math.BigDecimal;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Our service under test, with queues in memory. */
class PriceListTest {

  @Test
  void pricesAreEventsAndQuotesAreResults() throws Exception {
    UUID order = UUID.randomUUID();
    try (TestService<Pricing, Prices> service = TestService.start(new Application().pricing())) {
      service.calls().price(order, 3);
      service.calls().price(order, 0);
      CompletableFuture<BigDecimal> quote = service.calls().quote(2);
      service.awaitPerformed();

      assertThat(service.answers())
          .containsExactly(
              answer("priced", order, new BigDecimal("7.50")),
              failure("java.lang.IllegalArgumentException", "count is 0, minimum 1"));
      assertThat(quote.get()).isEqualTo(new BigDecimal("5.00"));
      assertThat(service.deadLetters()).hasSize(1);
    }
  }
}
