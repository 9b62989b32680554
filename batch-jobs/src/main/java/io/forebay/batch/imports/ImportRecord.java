/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.jdbc.catalogue.NamedStatement;
import org.jspecify.annotations.Nullable;

/**
 * A record of a file. Its text contains no values, so it may be logged.
 *
 * @param line the line on which it begins, from 1
 * @param from its position in the file
 * @param to its end, including the line break
 * @param statement the statement to hand over; null if it was handed over or must be rejected
 * @param complaint why the record must be rejected; null if it is valid
 */
record ImportRecord(
    long line,
    long from,
    long to,
    NamedStatement.@Nullable Bound statement,
    @Nullable String complaint) {

  static ImportRecord good(long line, long from, long to, NamedStatement.Bound statement) {
    return new ImportRecord(line, from, to, statement, null);
  }

  static ImportRecord rejected(long line, long from, long to, String complaint) {
    return new ImportRecord(line, from, to, null, complaint);
  }

  /** A copy without the values, which are now in the queue. */
  ImportRecord handedOver() {
    return new ImportRecord(line, from, to, null, null);
  }

  ImportRecord rejected(String why) {
    return rejected(line, from, to, why);
  }

  @Override
  public String toString() {
    return "the record on line " + line;
  }
}
