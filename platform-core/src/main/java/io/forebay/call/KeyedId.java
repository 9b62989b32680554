/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.call.value.Cbor;
import io.forebay.call.value.RefusedValue;
import io.forebay.call.value.Utf8;
import io.forebay.text.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.UUID;

/**
 * The UUIDv8 of client and idempotency key: the first 16 bytes of SHA-256 over the length of the
 * client (4 bytes, big-endian), the client and the key, both in UTF-8, with version and variant
 * set.
 */
final class KeyedId {

  /** Only cloned, which is cheaper than to look it up for each message. */
  private static final MessageDigest SHA_256 = Sha256.digest();

  private KeyedId() {}

  static UUID of(String client, String key) {
    byte[] clientBytes = bytes("client", client);
    byte[] keyBytes = bytes("idempotency key", key);
    ByteBuffer hashed = ByteBuffer.allocate(4 + clientBytes.length + keyBytes.length);
    hashed.putInt(clientBytes.length).put(clientBytes).put(keyBytes);
    ByteBuffer hash = ByteBuffer.wrap(digest().digest(hashed.array()));
    long high = hash.getLong() & ~0xf000L | 0x8000;
    long low = hash.getLong() & 0x3fff_ffff_ffff_ffffL | 0x8000_0000_0000_0000L;
    return new UUID(high, low);
  }

  /**
   * Checks a client and a key without making the id.
   *
   * @throws IllegalArgumentException if a message cannot carry them
   */
  static void check(String client, String key) {
    checkText("client", client);
    checkText("idempotency key", key);
  }

  private static byte[] bytes(String name, String text) {
    checkText(name, text);
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void checkText(String name, String text) {
    int length;
    try {
      length = Utf8.length(text);
    } catch (RefusedValue e) {
      throw new IllegalArgumentException("the " + name + " is " + e.getMessage(), e);
    }
    if (length == 0 || length > Cbor.MAX_KEY_BYTES) {
      throw new IllegalArgumentException(
          "the %s has %,d bytes in UTF-8 (allowed: 1 to %d)"
              .formatted(name, length, Cbor.MAX_KEY_BYTES));
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || (c >= 0x7f && c < 0xa0)) { // C0, DEL and C1
        throw new IllegalArgumentException(
            "the %s holds a control character; none is allowed".formatted(name));
      }
    }
  }

  private static MessageDigest digest() {
    try {
      return (MessageDigest) SHA_256.clone();
    } catch (CloneNotSupportedException e) {
      return Sha256.digest(); // of another provider than the JDK's
    }
  }
}
