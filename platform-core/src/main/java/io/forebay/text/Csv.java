/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.text;

import java.util.List;

/** Lines of CSV (RFC 4180) that a spreadsheet shows as they are. */
public final class Csv {

  /** Spreadsheets calculate a cell that begins with one of these. */
  public static final String FORMULA = "=+-@\t\r";

  private Csv() {}

  /**
   * A line with its end: each field in quotes, and one that a spreadsheet would calculate with an
   * apostrophe before it.
   */
  public static String line(List<String> fields) {
    StringBuilder line = new StringBuilder();
    for (String field : fields) {
      line.append(line.isEmpty() ? "\"" : ",\"");
      if (!field.isEmpty() && FORMULA.indexOf(field.charAt(0)) >= 0) {
        line.append('\'');
      }
      line.append(field.replace("\"", "\"\"")).append('"');
    }
    return line.append("\r\n").toString();
  }
}
