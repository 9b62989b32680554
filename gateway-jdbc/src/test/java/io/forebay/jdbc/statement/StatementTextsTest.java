/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.jdbc.StatementCatalogue;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatementTextsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a@1",
        "orders.place@1",
        "Orders_place-2@999999999",
        "orders.place@1:0123456789abcdef",
        "select@1"
      })
  void isAReference(String text) {
    assertThat(StatementTexts.isReference(text)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "@1",
        "a@",
        "a@1:",
        "a@1:0123456789abcde",
        "a@1:0123456789abcdef0",
        "a@1:0123456789ABCDEF",
        "a@1234567890",
        "a@x",
        "a@-1",
        "a@1@1",
        "a@\u0661",
        "é@1",
        "a@1 ",
        "select@1;",
        "select 1",
        "select\n@1",
        "rollback",
        "delete\tfrom\titem"
      })
  void isSqlText(String text) {
    assertThat(StatementTexts.isReference(text)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 101})
  void aNameHasAtMostAHundredCharacters(int length) {
    assertThat(StatementTexts.isReference("x".repeat(length) + "@999999999:0123456789abcdef"))
        .isEqualTo(length == 100);
  }

  /** A sender could otherwise create any number of groups of failures. */
  @Test
  void theNameOfARefusedStatementIsKnownIfTheCatalogueHasIt() {
    StatementCatalogue catalogue =
        new StatementCatalogue() {
          @Override
          public Entry find(String gateway, String reference) {
            throw new NoSuchElementException("orders.place in version 1 only");
          }

          @Override
          public @Nullable Known known(String gateway, String text) {
            return gateway.equals("shop") && text.startsWith("orders.place@")
                ? new Known("orders.place", List.of(), false, false)
                : null;
          }
        };
    assertThat(name(catalogue, "orders.place@7")).isEqualTo("orders.place");
    assertThat(name(catalogue, "invented.one@1")).isNull();
    assertThat(name(StatementCatalogue.NONE, "orders.place@7")).isNull();
  }

  private static @Nullable String name(StatementCatalogue catalogue, String reference) {
    StatementTexts texts = new StatementTexts("shop", true, catalogue);
    return texts.nameOf(texts.request(reference, new Object[0], null));
  }
}
