/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommonPasswordsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "password1234",
        "Password123!",
        "P@ssw0rd2026!",
        "Password2026!",
        "passwordpassword",
        "123456789012",
        "aaaaaaaaaaaa",
        "qwertyuiop12",
        "1qaz2wsx3edc",
        "manchesterunited",
        "iloveyou1234",
        "administrator",
        "Welcome2026!",
        "changeme1234"
      })
  void whatAttackersTryFirstIsCommon(String password) {
    assertThat(CommonPasswords.contains(password)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a password of mine", "correct horse battery staple", "tR7#kq2LmZ9x"})
  void otherPasswordsAreNot(String password) {
    assertThat(CommonPasswords.contains(password)).isFalse();
  }
}
