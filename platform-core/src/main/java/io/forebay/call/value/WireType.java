/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

/** Writes and reads the values of one declared type. The caller handles null. */
public abstract class WireType {

  private final String name;

  /**
   * @param name the name for error texts
   */
  WireType(String name) {
    this.name = name;
  }

  final String name() {
    return name;
  }

  /** Whether null is allowed; not for primitive types. */
  boolean nullable() {
    return true;
  }

  /**
   * @throws RefusedValue if no message can carry this value
   */
  abstract void write(ValueWriter out, Object value);

  /**
   * @throws DecodeFailure if the next item is not a value of this type
   */
  abstract Object read(ValueReader in);
}
