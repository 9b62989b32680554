/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.operations.SelfCheck.State;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PostgresEncryptionTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          //db.example/shop?sslmode=verify-full          | OK     | sslmode is verify-full: encrypted, to a server
          //db.example/shop?ssl=true                     | OK     | sslmode is verify-full
          //db.example/shop?sslmode=verify-ca            | WARN   | to any server with a certificate of this authority
          //db.example/shop?sslmode=require              | WARN   | certificate is not checked
          //db.example/shop?sslmode=verify-full&sslfactory=org.postgresql.ssl.NonValidatingFactory | WARN | not checked
          //db.example/shop?sslmode=prefer               | WARN   | sslmode is prefer: the password and all data may cross
          //db.example/shop?password=secret              | WARN   | sslmode is prefer
          //db.example:1/shop?sslmode=disable            | WARN   | sslmode is disable
          //127.0.0.1:5432,db.example:5432/shop          | WARN   | sslmode is prefer
          //db.example/shop?sslmode=secret               | FAILED | does not know the sslmode
          //127.0.0.1:5432,[::1]:5433/shop               | OK     | the server is on this host
          //localhost/shop                               | OK     | the server is on this host
          shop                                           | OK     | the server is on this host
          """)
  void tellsWhatTheUrlAllows(String rest, State state, String text) {
    PostgresEncryption found = PostgresEncryption.of("jdbc:postgresql:" + rest).orElseThrow();
    assertThat(found.state()).isEqualTo(state);
    assertThat(found.text()).contains(text).doesNotContain("secret", "db.example");
    assertThat(found.named("TLS").change())
        .isEqualTo(state == State.OK ? null : "Set sslmode=verify-full in the URL.");
  }

  @Test
  void saysNothingAboutOtherUrls() {
    assertThat(PostgresEncryption.of(null)).isEmpty();
    assertThat(PostgresEncryption.of("jdbc:hsqldb:mem:a")).isEmpty();
  }
}
