/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.springframework.security.crypto.keygen.Base64StringKeyGenerator;
import org.springframework.security.crypto.keygen.StringKeyGenerator;

/**
 * The text of a token: 256 random bits behind a prefix that lets scanners find leaked secrets.
 * Nobody can guess it, so its SHA-256 is stored without salt and looked up as a key: the time of a
 * look-up reveals nothing about the token.
 */
public final class TokenText {

  private static final String PREFIX = "fb_";

  /** What a token looks like, as a regular expression. */
  public static final String FORM = PREFIX + "[A-Za-z0-9_-]{43}";

  private static final StringKeyGenerator KEYS =
      new Base64StringKeyGenerator(Base64.getUrlEncoder().withoutPadding(), 32);

  private TokenText() {}

  public static String generate() {
    return PREFIX + KEYS.generateKey();
  }

  /** SHA-256 as 64 hexadecimal digits. */
  public static String hash(String text) {
    return Sha256.hex(text.getBytes(StandardCharsets.US_ASCII));
  }
}
