/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import io.forebay.queue.Capabilities;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Encodes single values as in messages, for data that is stored beside a queue. Thread-safe. */
public final class Values {

  /** An outcome may contain the rows of a result that fills a message. */
  private static final int MAX_BYTES = 4 * Capabilities.MAX_MESSAGE_BYTES;

  private static final Classes NO_CLASSES = new Classes(Aliases.none(), Map.of());

  private Values() {}

  /**
   * Marks a component of a record that a later version added. It is left out of a message if it is
   * null, and null if a message does not have it. So old messages are still read.
   */
  @Target(ElementType.RECORD_COMPONENT)
  @Retention(RetentionPolicy.RUNTIME)
  public @interface LeftOutIfNull {}

  /**
   * @throws IllegalArgumentException if no message can carry the value
   */
  public static byte[] encode(Object value) {
    CborOutput out = new CborOutput("value", MAX_BYTES);
    try {
      new ValueWriter(out, NO_CLASSES).any(value);
    } catch (RefusedValue e) {
      throw new IllegalArgumentException(
          "a value%s is %s, which no message can carry".formatted(e.where(), e.getMessage()), e);
    }
    byte[] bytes = new byte[out.at];
    out.view(0).get(bytes);
    return bytes;
  }

  /**
   * Adds values to a digest, as messages carry them. A value without an encoding of its own, such
   * as a record, counts as its class.
   */
  public static void digest(List<? extends @Nullable Object> values, MessageDigest digest) {
    CborOutput out = new CborOutput("value", MAX_BYTES);
    ValueWriter writer = new ValueWriter(out, NO_CLASSES);
    for (Object value : values) {
      out.at = 0;
      try {
        writer.value(ScalarType.ANY, value);
      } catch (RefusedValue e) {
        writer.reset();
        out.at = 0;
        writer.value(ScalarType.ANY, "a " + value.getClass().getTypeName());
      }
      digest.update(out.bytes, 0, out.at);
    }
  }

  /**
   * @throws IllegalArgumentException if the bytes are not exactly one value
   */
  public static @Nullable Object decode(byte[] bytes) {
    CborInput in = new CborInput();
    in.reset(ByteBuffer.wrap(bytes));
    try {
      Object value = new ValueReader(in, NO_CLASSES).next();
      if (in.remaining() > 0) {
        throw new IllegalArgumentException(in.remaining() + " extra bytes after the value");
      }
      return value;
    } catch (DecodeFailure e) {
      throw new IllegalArgumentException("not a value: " + e.text(), e);
    }
  }
}
