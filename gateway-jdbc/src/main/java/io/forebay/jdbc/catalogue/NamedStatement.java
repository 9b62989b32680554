/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

/** A statement of the catalogue, as it was when it was looked up. Thread-safe. */
public final class NamedStatement {

  private final CatalogueEntry entry;

  NamedStatement(CatalogueEntry entry) {
    this.entry = entry;
  }

  /**
   * The reference {@code name@version:fingerprint}, which a message may carry instead of SQL text.
   * The arguments are then the values of the parameters, in their order. The message fails unless
   * the catalogue contains this version with this text and these parameters.
   */
  public String reference() {
    return entry.reference();
  }
}
