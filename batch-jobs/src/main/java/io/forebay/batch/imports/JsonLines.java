/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.jdbc.catalogue.InvalidRecord;
import io.forebay.jdbc.catalogue.NamedStatement;
import java.io.IOException;

/** Reads records that are JSON objects of named parameters, one per line. */
final class JsonLines extends Records {

  JsonLines(ReadAt file, int maxRecord) {
    super(file, maxRecord);
  }

  @Override
  Extent scan() throws IOException, Malformed {
    for (int at = 0; at <= maxRecord; at++) {
      int next = window.at(at);
      if (next == '\n') {
        return new Extent(at + 1, 1);
      }
      if (next == FileWindow.END) {
        return new Extent(at, 1);
      }
    }
    throw tooLong();
  }

  @Override
  NamedStatement.Bound bind(NamedStatement statement, Extent extent) throws InvalidRecord {
    return statement.bindJson(window.bytes(), window.start(), window.start() + extent.length());
  }
}
