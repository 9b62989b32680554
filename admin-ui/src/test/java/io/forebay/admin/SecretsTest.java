/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {

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
  void neverShowsASecretInAValue(String value) {
    assertThat(Secrets.hidden("forebay.gateways.main.url", value))
        .doesNotContain("gehe!m")
        .doesNotContain("olga");
  }

  @ParameterizedTest
  @CsvSource({
    "forebay.gateways.main.password, x",
    "forebay.api-token, x",
    "forebay.client-secret, x",
    "forebay.admin.webhook.secret, x",
    "forebay.keystore, x"
  })
  void neverShowsAValueWhoseNameSaysThatItIsASecret(String key, String value) {
    assertThat(Secrets.hidden(key, value)).isEqualTo("(not shown)");
  }

  @ParameterizedTest
  @CsvSource({
    "forebay.data, /srv/forebay, /srv/forebay",
    "forebay.security.new-admin-token, true, true",
    "forebay.chronicle.min-free-fraction, 0.05, 0.05",
    "forebay.gateways.main.url, jdbc:postgresql://db:5432/shop, jdbc:postgresql://db:5432/shop",
    "forebay.gateways.main.url, jdbc:postgresql://a@db/shop?ssl=true, jdbc:postgresql://db/shop",
    "forebay.admin.webhook.url, https://hooks.example.com/T0/B1/x?y=z, https://hooks.example.com/…",
  })
  void showsTheRest(String key, String value, String shown) {
    assertThat(Secrets.hidden(key, value)).isEqualTo(shown);
  }
}
