/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;

/**
 * The passwords of at least {@value Passwords#SHORTEST} characters that attackers try first, in the
 * file {@code common-passwords.txt}, in lower case.
 */
public final class CommonPasswords {

  private CommonPasswords() {}

  /** Whether the list has the password, in whatever case. Reads the file. */
  public static boolean contains(String password) {
    try (InputStream list = CommonPasswords.class.getResourceAsStream("common-passwords.txt")) {
      return new String(Objects.requireNonNull(list).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .anyMatch(password.toLowerCase(Locale.ROOT)::equals);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
