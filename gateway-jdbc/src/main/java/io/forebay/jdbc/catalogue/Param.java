/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import org.jspecify.annotations.Nullable;

/**
 * A parameter of a statement.
 *
 * @param nullable whether it may be null or missing, which is the same
 */
public record Param(String name, ParamType type, boolean nullable) {

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
