/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.problem.WholeText;
import org.jspecify.annotations.Nullable;

/** Texts of a query that are passed to the database. */
public final class Parameters {

  private Parameters() {}

  /**
   * @return null if it is not given, or blank
   * @throws Refused if a database cannot store this text, so that nothing can match it
   */
  public static @Nullable String text(String name, @Nullable String value) {
    if (value == null || value.isBlank()) {
      return null;
    }
    if (!WholeText.is(value)) {
      throw Refused.invalidField(name, "must be " + WholeText.EXPECTED);
    }
    return value.strip();
  }
}
