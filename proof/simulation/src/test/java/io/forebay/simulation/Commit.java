/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import java.io.IOException;

/** The code that runs. */
final class Commit {

  /** How the name of a commit ends that has further changes. */
  static final String CHANGED = "-dirty";

  static final String UNKNOWN = "commit unknown";

  private Commit() {}

  /**
   * The commit of the working directory, "-dirty" with further changes; else that it is unknown.
   */
  static String name() {
    try {
      Process git =
          new ProcessBuilder("git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String name = new String(git.getInputStream().readAllBytes()).strip();
      return name.isEmpty() ? UNKNOWN : "commit " + name;
    } catch (IOException _) {
      return UNKNOWN;
    }
  }
}
