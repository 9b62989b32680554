/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

/** A file is not imported, or not further; the message says why and what to do. */
final class ImportRefused extends RuntimeException {

  private static final long serialVersionUID = 1;

  ImportRefused(String message) {
    super(message);
  }
}
