/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.machine.Machine;

/**
 * The idempotency key of a message whose sender chose none, if nobody needs to send it again: its
 * sender knows its position. The id of the message is made of it, so whoever has it can prove that
 * the result is theirs. The gateway does not store it.
 */
public final class GeneratedKey {

  private static final int LENGTH = 37;

  private GeneratedKey() {}

  /** A key that was never used before. */
  public static String next() {
    return StreamLine.MARK + Machine.uuid().toString();
  }

  public static boolean is(String key) {
    return key.length() == LENGTH
        && key.charAt(0) == StreamLine.MARK
        && key.indexOf(StreamLine.MARK, 1) < 0;
  }
}
