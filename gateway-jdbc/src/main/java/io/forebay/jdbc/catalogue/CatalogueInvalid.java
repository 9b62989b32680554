/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import java.util.List;
import java.util.stream.Collectors;

/** A catalogue was not taken, with all that is wrong in it. */
public final class CatalogueInvalid extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final transient List<Violation> violations;

  CatalogueInvalid(List<Violation> violations) {
    super(
        violations.stream()
            .map(Violation::toString)
            .collect(
                Collectors.joining(
                    "\n  ",
                    "the catalogue has faults (%d):\n  ".formatted(violations.size()),
                    "")));
    this.violations = List.copyOf(violations);
  }

  public List<Violation> violations() {
    return violations;
  }
}
