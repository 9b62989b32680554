/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.jdbc.catalogue.InvalidRecord;
import io.forebay.jdbc.catalogue.NamedStatement;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of a file in order, with their positions. How a record is parsed depends only
 * on the bytes from its position on, so reading can begin at any record. For one thread.
 *
 * <p>A malformed record ends with the line on which it begins, and the next record begins on the
 * next line. Empty lines are skipped.
 */
abstract sealed class Records permits CsvRecords, JsonLines {

  private static final int NEWLINE = '\n';

  final FileWindow window;
  final int maxRecord;
  private long line = 1;

  /**
   * @param maxRecord the maximum size of a record in bytes
   */
  Records(ReadAt file, int maxRecord) {
    this.window = new FileWindow(file);
    this.maxRecord = maxRecord;
  }

  /** The length of a record in bytes and lines. */
  record Extent(int length, int lines) {}

  /** Moves to a position where a record begins. */
  final void seek(long offset, long atLine) {
    window.seek(offset);
    line = atLine;
  }

  /** The position of the next record. */
  final long offset() {
    return window.offset();
  }

  /** The line of the next record, from 1. */
  final long line() {
    return line;
  }

  final void skipByteOrderMark() throws IOException {
    if (window.at(0) == 0xef && window.at(1) == 0xbb && window.at(2) == 0xbf) {
      window.advance(3);
    }
  }

  /**
   * Reads the next record for a statement.
   *
   * @return null at the end of the file
   */
  final @Nullable ImportRecord next(NamedStatement statement) throws IOException {
    int first = skipEmptyLines();
    if (first == FileWindow.END) {
      return null;
    }
    long at = window.offset();
    long atLine = line;
    try {
      Extent extent = scan();
      NamedStatement.Bound bound;
      try {
        if (!window.isUtf8(extent.length())) {
          throw new Malformed("is not UTF-8");
        }
        bound = bind(statement, extent);
      } catch (InvalidRecord | Malformed e) {
        skip(extent);
        return ImportRecord.rejected(atLine, at, window.offset(), String.valueOf(e.getMessage()));
      }
      skip(extent);
      return ImportRecord.good(atLine, at, window.offset(), bound);
    } catch (Malformed e) {
      skipLine();
      return ImportRecord.rejected(atLine, at, window.offset(), String.valueOf(e.getMessage()));
    }
  }

  /**
   * Finds the end of the record, including its line break.
   *
   * @throws Malformed if the record has no valid end
   */
  abstract Extent scan() throws IOException, Malformed;

  /** Binds the record scanned last to a statement. */
  abstract NamedStatement.Bound bind(NamedStatement statement, Extent extent)
      throws InvalidRecord, Malformed;

  final Malformed tooLong() {
    return new Malformed("is longer than %,d bytes".formatted(maxRecord));
  }

  final void skip(Extent extent) {
    window.advance(extent.length());
    line += extent.lines();
  }

  private int skipEmptyLines() throws IOException {
    while (true) {
      int first = window.at(0);
      if (first == NEWLINE) {
        window.advance(1);
      } else if (first == '\r' && window.at(1) == NEWLINE) {
        window.advance(2);
      } else {
        return first;
      }
      line++;
    }
  }

  /** Skips a line that may not fit in memory. */
  private void skipLine() throws IOException {
    int next = 0;
    while (next != NEWLINE) {
      next = window.at(0);
      if (next == FileWindow.END) {
        return;
      }
      window.advance(1);
    }
    line++;
  }
}
