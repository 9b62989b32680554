/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.operations.Audit;

/** The import cannot start or cannot continue; the message says why and what to do. */
final class ImportRefused extends RuntimeException implements Audit.Refusal {

  private static final long serialVersionUID = 1;

  ImportRefused(String message) {
    super(message);
  }
}
