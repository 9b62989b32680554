/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

/**
 * An error in a catalogue.
 *
 * @param statement the name of the entry; empty if it has none
 * @param message what is wrong and what is allowed; no SQL
 */
public record CatalogueViolation(SourceLine place, String statement, String message) {

  @Override
  public String toString() {
    return place + ": " + (statement.isEmpty() ? "" : statement + ": ") + message;
  }
}
