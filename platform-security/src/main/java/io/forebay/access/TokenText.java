/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/**
 * The text of a token: 256 random bits behind a prefix that lets scanners find leaked secrets.
 * Nobody can guess it, so its SHA-256 is stored without salt and looked up as a key: the time of a
 * look-up reveals nothing about the token.
 */
public final class TokenText {

  private static final String PREFIX = "fb_";

  /** What a token looks like, as a regular expression. */
  public static final String FORM = PREFIX + "[A-Za-z0-9_-]{43}";

  private static final int BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private TokenText() {}

  public static String generate() {
    byte[] bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** SHA-256 as 64 hexadecimal digits. */
  public static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
