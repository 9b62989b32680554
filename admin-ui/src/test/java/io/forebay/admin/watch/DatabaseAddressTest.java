/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseAddressTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://olga:gehe!m@db:5432/shop",
        "jdbc:postgresql://olga:gehe!m@x@db:5432/shop",
        "jdbc:postgresql://olga:p?gehe!m;@db:5432/shop",
        "jdbc:postgresql://db:5432/shop?user=olga&password=gehe!m",
        "jdbc:hsqldb:hsql://db/shop;user=olga;password=gehe!m",
        "jdbc:oracle:thin:olga/gehe!m@db:1521:shop",
        "https://olga:gehe!m@db/shop",
        "[https://olga:gehe!m@db/shop, https://db]",
        "user=olga password=gehe!m",
      })
  void neverShowsASecret(String url) {
    assertThat(DatabaseAddress.of(url)).doesNotContain("gehe!m").doesNotContain("olga");
  }

  @Test
  void showsTheRest() {
    assertThat(DatabaseAddress.of("jdbc:postgresql://db:5432/shop"))
        .isEqualTo("postgresql://db:5432/shop");
    assertThat(DatabaseAddress.of("jdbc:postgresql://a@db/shop?ssl=true"))
        .isEqualTo("postgresql://db/shop");
    assertThat(DatabaseAddress.of("jdbc:hsqldb:mem:shop")).isEqualTo("hsqldb:mem:shop");
  }
}
