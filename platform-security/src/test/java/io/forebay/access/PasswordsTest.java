/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PasswordsTest {

  private final Passwords passwords = new Passwords();

  @Test
  void aTextThatNoUserCanHaveMatchesNothing() {
    String longest = "x".repeat(Passwords.LONGEST);
    String hash = passwords.encode(longest);
    assertThat(passwords.matches(longest, hash)).isTrue();
    assertThat(passwords.matches(longest + "x", hash)).isFalse();
    assertThat(passwords.matches("", passwords.encode(""))).isFalse();
    assertThat(Passwords.mayBe("")).isFalse();
    assertThat(Passwords.mayBe(longest + "x")).isFalse();
  }
}
