/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.configuration;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** The start is refused because the configuration is invalid. */
final class InvalidConfiguration extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final transient List<Violation> violations;

  InvalidConfiguration(Collection<Violation> violations) {
    super(
        violations.stream()
            .map(Violation::toString)
            .collect(
                Collectors.joining(
                    System.lineSeparator(),
                    "The configuration of Forebay has %d %s; nothing was started:%n"
                        .formatted(violations.size(), violations.size() == 1 ? "error" : "errors"),
                    "")));
    this.violations = List.copyOf(violations);
  }

  List<Violation> violations() {
    return violations;
  }
}
