/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The page that says what the simulation finds. */
final class ReliabilityDocument {

  private static final Path PAGE = Path.of("../../docs/reliability.md");
  private static final String BEGIN = "<!-- planted bugs: begin -->\n";
  private static final String END = "<!-- planted bugs: end -->";

  private ReliabilityDocument() {}

  static String text() throws IOException {
    return Files.readString(PAGE);
  }

  /** The table of planted bugs, as it is in the page. */
  static String table() throws IOException {
    String text = text();
    return text.substring(text.indexOf(BEGIN) + BEGIN.length(), text.indexOf(END));
  }

  static void writeTable(List<String> rows) throws IOException {
    String text = text();
    String table =
        "| planted | found as | after histories |\n|---|---|---|\n"
            + String.join("\n", rows)
            + "\n";
    Files.writeString(
        PAGE,
        text.substring(0, text.indexOf(BEGIN) + BEGIN.length())
            + table
            + text.substring(text.indexOf(END)));
  }
}
