/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A record does not match the parameters of its statement. The message says what is expected and
 * never contains values.
 */
public final class InvalidRecord extends Exception {

  private static final long serialVersionUID = 1;
  private static final int SHOWN = 10;

  InvalidRecord(String message) {
    super(message, null, false, false);
  }

  InvalidRecord(List<FieldError> errors) {
    this(
        errors.stream()
                .limit(SHOWN)
                .map(error -> (error.field() + " " + error.message()).substring(1))
                .collect(Collectors.joining("; "))
            + (errors.size() > SHOWN ? "; and more" : ""));
  }
}
