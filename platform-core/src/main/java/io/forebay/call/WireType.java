/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

/** How the values of one declared type are written and read. Null is not its concern. */
abstract class WireType {

  private final String name;

  /**
   * @param name what an error text calls it
   */
  WireType(String name) {
    this.name = name;
  }

  final String name() {
    return name;
  }

  /** Whether null may stand for a value; primitive types say no. */
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

  @Override
  public final String toString() {
    return name;
  }
}
