/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.util.List;

/** Finds out whether what its owner needs is there. Every bean of this type is asked. */
public interface SelfTest {

  /** How a check ended. */
  enum State {
    OK,
    /** It works, and may not in some case. */
    WARN,
    FAILED,
    /** It could not be found out. */
    UNKNOWN
  }

  /**
   * @param check what was looked at, in a few words
   * @param text what was found, and what to do where that is not good
   */
  record Result(String check, State state, String text) {}

  /** Takes a second at most; throws nothing. For one thread at a time. */
  List<Result> run();
}
