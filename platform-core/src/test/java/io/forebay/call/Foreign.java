/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import com.upokecenter.cbor.CBORObject;
import com.upokecenter.numbers.EInteger;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.UUID;

/** Messages as a program in another language would build them with a CBOR library. */
final class Foreign {

  static final UUID ID = UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057");
  static final long MICROS = 1_748_779_200_123_456L;

  private Foreign() {}

  /** A message with one call. */
  static byte[] message(String method, Object... args) {
    return envelope(null).Add(method).Add(array(args)).EncodeToBytes();
  }

  /** The array of a message, up to the calls. */
  static CBORObject envelope(Object headers) {
    return array(0, bytes(ID), MICROS, headers);
  }

  static CBORObject array(Object... items) {
    CBORObject array = CBORObject.NewArray();
    for (Object item : items) {
      array.Add(item(item));
    }
    return array;
  }

  /** Names and values in turn. */
  static CBORObject map(Object... entries) {
    CBORObject map = CBORObject.NewOrderedMap();
    for (int i = 0; i < entries.length; i += 2) {
      map.Add(item(entries[i]), item(entries[i + 1]));
    }
    return map;
  }

  static CBORObject tagged(int tag, Object value) {
    return CBORObject.FromObjectAndTag(item(value), tag);
  }

  static byte[] bytes(UUID id) {
    return ByteBuffer.allocate(16)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .array();
  }

  /** Bytes from hexadecimal digits; spaces are ignored. */
  static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits.replace(" ", ""));
  }

  private static CBORObject item(Object value) {
    return switch (value) {
      case null -> CBORObject.Null;
      case CBORObject cbor -> cbor;
      case byte[] bytes -> CBORObject.FromObject(bytes);
      case Integer i -> CBORObject.FromObject(i);
      case Long l -> CBORObject.FromObject(l);
      case Double d -> CBORObject.FromObject(d);
      case Float f -> CBORObject.FromObject(f);
      case Boolean b -> CBORObject.FromObject(b);
      case String s -> CBORObject.FromObject(s);
      case BigInteger i -> CBORObject.FromObject(EInteger.FromString(i.toString()));
      default -> throw new IllegalArgumentException(value.getClass().getName());
    };
  }
}
