/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RowsTest {

  record Line(int orderId, double unitPrice, @Nullable String note) {}

  @Test
  void columnsBecomeComponentsWithoutRegardToCaseAndUnderscores() {
    Rows rows =
        new Rows(
            List.of("NOTE", "ORDER_ID", "unit_price"),
            List.of(
                Arrays.asList("gift", 7L, new BigDecimal("1.5")), Arrays.asList(null, 8L, 2.0f)));
    assertThat(rows.as(Line.class))
        .containsExactly(new Line(7, 1.5, "gift"), new Line(8, 2.0, null));
    assertThat(rows.row(0).get("order_id")).isEqualTo(7L);
  }

  @Test
  void saysWhichComponentHasNoColumnOrAValueThatDoesNotFit() {
    assertThatThrownBy(() -> new Rows(List.of("note"), List.of()).as(Line.class))
        .hasMessageContaining("Line has a component orderId, but the result has no such column");
    Rows nulls =
        new Rows(
            List.of("order_id", "unit_price", "note"), List.of(Arrays.asList(null, 1.0, null)));
    assertThatThrownBy(() -> nulls.as(Line.class)).hasMessageContaining("orderId is int", "null");
    Rows text =
        new Rows(List.of("order_id", "unit_price", "note"), List.of(List.of("7", 1.0, "n")));
    assertThatThrownBy(() -> text.as(Line.class))
        .hasMessageContaining("orderId is int, but the column contains String");
    Rows large =
        new Rows(List.of("order_id", "unit_price", "note"), List.of(List.of(1L << 40, 1.0, "n")));
    assertThatThrownBy(() -> large.as(Line.class)).isInstanceOf(ArithmeticException.class);
  }
}
