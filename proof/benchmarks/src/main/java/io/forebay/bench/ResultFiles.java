/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The files that a benchmark leaves: its figures as JSON, and its chart. */
final class ResultFiles {

  private ResultFiles() {}

  static Path json(Path folder, String benchmark) {
    return folder.resolve(benchmark + ".json");
  }

  static Path chart(Path folder, String benchmark) {
    return folder.resolve(benchmark + ".svg");
  }

  /**
   * @param title of the chart
   */
  static void write(
      Path folder,
      String benchmark,
      Map<String, Object> figures,
      String title,
      List<? extends Chart.Panel> panels)
      throws IOException {
    Files.writeString(json(folder, benchmark), Json.write(figures));
    Files.writeString(chart(folder, benchmark), Chart.svg(title, panels));
    System.out.printf("written: %s and %s.svg beside it%n", json(folder, benchmark), benchmark);
  }
}
