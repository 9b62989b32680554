/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborInput;
import io.forebay.call.value.DecodeFailure;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;

/**
 * Identifies what an answer says: its calls, and its headers except its history and those about the
 * message that it answers. Equal for two answers that differ only in their times and places.
 */
public final class AnswerDigest {

  private static final Set<String> TIMES_AND_PLACES =
      Set.of("source", "sourceClient", "sourceKey", "history");

  private AnswerDigest() {}

  /** The digest as text; that of the whole message if it cannot be decoded. */
  public static String of(ByteBuffer message) {
    CborInput in = new CborInput();
    in.reset(message);
    MessageDigest digest = sha256();
    try {
      in.head(Cbor.ARRAY, "a message");
      in.checkedCount(1);
      in.skip(); // version
      in.skip(); // id
      in.skip(); // time
      if (!in.skipNull()) {
        in.head(Cbor.MAP, "the headers");
        int headers = in.checkedCount(2);
        for (int i = 0; i < headers; i++) {
          int start = in.at;
          String name = in.textBytes(in.string(Cbor.TEXT, "a text"));
          in.skip();
          if (!TIMES_AND_PLACES.contains(name)) {
            digest.update(in.bytes, start, in.at - start);
          }
        }
      }
      digest.update(in.bytes, in.at, in.remaining());
    } catch (DecodeFailure e) {
      digest.reset();
      digest.update(message.duplicate());
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform supports SHA-256", e);
    }
  }
}
