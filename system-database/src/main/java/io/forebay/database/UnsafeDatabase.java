/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import java.util.List;

/**
 * The database would lose or expose what the gateway promises to keep. Nothing is performed on it
 * until it, or the gateway's data source, is changed and the gateway started again: asking again
 * does not help.
 */
public final class UnsafeDatabase extends IllegalStateException {

  private static final long serialVersionUID = 1;

  private final transient List<String> violations;

  /**
   * @param violations each says what is wrong and what to change
   */
  UnsafeDatabase(List<String> violations) {
    super(
        violations.size() == 1
            ? violations.getFirst()
            : violations.size() + " things to change: " + String.join("; ", violations));
    this.violations = List.copyOf(violations);
  }

  UnsafeDatabase(String violation) {
    this(List.of(violation));
  }

  List<String> violations() {
    return violations;
  }
}
