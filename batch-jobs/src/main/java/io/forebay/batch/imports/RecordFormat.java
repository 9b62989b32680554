/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import java.util.Locale;
import java.util.Optional;

/** The file formats of an import. */
enum RecordFormat {
  CSV,
  NDJSON;

  static Optional<RecordFormat> of(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "csv" -> Optional.of(CSV);
      case "ndjson", "jsonl" -> Optional.of(NDJSON);
      default -> Optional.empty();
    };
  }

  /** The format by the extension of a file name. */
  static Optional<RecordFormat> ofFile(String name) {
    return of(name.substring(name.lastIndexOf('.') + 1));
  }
}
