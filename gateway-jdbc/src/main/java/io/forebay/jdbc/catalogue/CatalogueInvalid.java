/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import java.util.List;
import java.util.stream.Collectors;

/** A catalogue was rejected because of the listed errors. */
public final class CatalogueInvalid extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final transient List<CatalogueViolation> violations;

  CatalogueInvalid(List<CatalogueViolation> violations) {
    super(
        violations.stream()
            .map(CatalogueViolation::toString)
            .collect(
                Collectors.joining(
                    "\n  ",
                    "Catalogue not valid, %d errors:\n  ".formatted(violations.size()),
                    "")));
    this.violations = List.copyOf(violations);
  }

  public List<CatalogueViolation> violations() {
    return violations;
  }
}
