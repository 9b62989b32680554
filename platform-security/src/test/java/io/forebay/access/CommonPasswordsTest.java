/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommonPasswordsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "password1234",
        "Password123!",
        "P@ssw0rd2026!",
        "passwordpassword",
        "123456789012",
        "aaaaaaaaaaaa",
        "qwertyuiop12",
        "1qaz2wsx3edc",
        "abcdefghijkl",
        "abc123abc123",
        "iloveyou1234",
        "administrator",
        "Welcome2026!",
        "Summer2026!!",
        "changeme1234",
        "letmein12345",
        "forebay-admin",
        "olga.petrova1",
        "olga.petrova.olga.petrova"
      })
  void whatAttackersTryFirstIsCommon(String password) {
    assertThat(CommonPasswords.contains(password, "olga.petrova")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a password of mine",
        "correct horse battery staple",
        "tR7#kq2LmZ9x",
        "drei Enten am Wehr",
        "密码不是一个好主意因为大家都用"
      })
  void otherPasswordsAreNot(String password) {
    assertThat(CommonPasswords.contains(password, "olga.petrova")).isFalse();
  }

  @Test
  void noGeneratedPasswordIs() {
    for (int i = 0; i < 200; i++) {
      String password = Passwords.generate();
      assertThat(CommonPasswords.contains(password, "olga")).as(password).isFalse();
    }
  }
}
