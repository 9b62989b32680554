/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.util.List;

/** Checks the environment that its owner needs. Every bean of this type is run. */
public interface SelfCheck {

  /** The outcome of a check. */
  enum State {
    OK,
    /** It works, but may fail in some situations. */
    WARN,
    FAILED,
    /** The check could not be completed. */
    UNKNOWN
  }

  /**
   * @param check what was checked, in a few words
   * @param text what was found and, if that is a problem, what to do
   */
  record Result(String check, State state, String text) {}

  /** Runs the checks within a second. Throws nothing. Not thread-safe. */
  List<Result> run();
}
