/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.jdbc.http.NamedStatement;
import org.jspecify.annotations.Nullable;

/**
 * A record of a file. Nothing of what is in it is in its text, so that it may come into a log.
 *
 * @param line on which it begins, from 1
 * @param from its place in the file
 * @param to where it ends, its line break included
 * @param statement what is to be handed over; null if it was, or if it is to be rejected
 * @param complaint why it is to be rejected; null if it is not
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

  /** The same without its values, which the queue has. */
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
