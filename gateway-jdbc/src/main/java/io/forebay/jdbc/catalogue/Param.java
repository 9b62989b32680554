/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A parameter of a statement. Its constraints are those of the files; until they are checked, name
 * and type may be null.
 *
 * @param nullable whether it may be null or missing, which is the same
 */
public record Param(
    @NotNull(message = "name is missing")
        @Pattern(
            regexp = "[A-Za-z_][A-Za-z0-9_]{0,99}",
            message =
                "the name of a parameter has at most 100 letters, digits and '_' and does not"
                    + " begin with a digit")
        String name,
    @NotNull(message = "type is missing") ParamType type,
    boolean nullable) {

  /** Whether its value may be the partition key. */
  boolean mayBeKey() {
    return type != null && type.mayBeKey();
  }

  /**
   * @throws IllegalArgumentException if a message must not carry this value for the parameter
   */
  void mustTake(@Nullable Object value) {
    if (value == null ? !nullable : !type.takes(value)) {
      throw new IllegalArgumentException(
          "parameter %s must be of type %s%s"
              .formatted(name, type.word(), nullable ? "" : " and not null"));
    }
  }
}
