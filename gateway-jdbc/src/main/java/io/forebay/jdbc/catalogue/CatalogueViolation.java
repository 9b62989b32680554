/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import org.springframework.boot.origin.Origin;

/**
 * An error in a catalogue.
 *
 * @param place file, line and column
 * @param statement the name of the entry; empty if it has none
 * @param message what is wrong and what is allowed; no SQL
 */
public record CatalogueViolation(Origin place, String statement, String message) {

  @Override
  public String toString() {
    return place + ": " + (statement.isEmpty() ? "" : statement + ": ") + message;
  }
}
