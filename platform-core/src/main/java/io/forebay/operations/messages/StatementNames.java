/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.messages;

import org.jspecify.annotations.Nullable;

/** The names of statements in a catalogue. Messages may carry only their SQL text. Thread-safe. */
@FunctionalInterface
public interface StatementNames {

  /**
   * @param queue the name of the queue that has the message
   * @param text a reference or SQL text
   * @return the reference, or the name of the SQL text; null if the catalogue does not have it
   */
  @Nullable String nameOf(String queue, String text);

  /** Without a catalogue. */
  static StatementNames none() {
    return (_, _) -> null;
  }
}
