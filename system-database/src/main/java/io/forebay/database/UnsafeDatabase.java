/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import java.util.List;

/**
 * The database does not meet the gateway's requirements for durability and security. The gateway
 * performs nothing until the database or the gateway's data source is changed and the gateway is
 * restarted; a retry does not help.
 */
public final class UnsafeDatabase extends IllegalStateException {

  private static final long serialVersionUID = 1;

  private final transient List<String> violations;

  /**
   * @param violations each names a problem and what to change
   */
  UnsafeDatabase(List<String> violations) {
    super(
        violations.size() == 1
            ? violations.getFirst()
            : violations.size() + " problems: " + String.join("; ", violations));
    this.violations = List.copyOf(violations);
  }

  UnsafeDatabase(String violation) {
    this(List.of(violation));
  }

  List<String> violations() {
    return violations;
  }
}
