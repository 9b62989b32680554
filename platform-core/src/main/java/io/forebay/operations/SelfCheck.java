/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.util.List;
import org.jspecify.annotations.Nullable;

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

  /** What a problem can lead to; the worst first. */
  enum Harm {
    /** Acknowledged messages or committed data can be lost. */
    LOSS,
    /** Others can read or change data, or act in the name of a caller. */
    ACCESS,
    /** Messages are not accepted or not performed. */
    OUTAGE,
    /** Messages take longer. */
    DELAY,
    /** None: the configuration is that of a first try. */
    UNFINISHED
  }

  /**
   * @param check what was checked, in a few words
   * @param text what was found
   * @param harm null if it is no problem
   * @param change what to change; null if it is no problem, or if the text says it
   */
  record Result(
      String check, State state, String text, @Nullable Harm harm, @Nullable String change) {

    /** A result that is no problem. */
    public Result(String check, State state, String text) {
      this(check, state, text, null, null);
    }
  }

  /** Runs the checks within a second. Throws nothing. Not thread-safe. */
  List<Result> run();
}
