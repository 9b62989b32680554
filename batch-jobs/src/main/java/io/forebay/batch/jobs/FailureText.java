/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Of a failure as Spring Batch writes it down, a stack trace, what may be shown: which exceptions
 * there were and what they say, without frames; of those of a database only their names, as their
 * texts hold values.
 */
final class FailureText {

  private static final List<String> OF_DATABASES =
      List.of(
          "java.sql.",
          "org.springframework.dao.",
          "org.springframework.jdbc.",
          "org.postgresql.",
          "org.hsqldb.");
  private static final String CAUSE = "Caused by: ";
  private static final int LONGEST = 1_000;

  private FailureText() {}

  static String of(String description) {
    String text =
        description
            .lines()
            .filter(line -> !line.isBlank() && !line.startsWith("\t"))
            .map(FailureText::shown)
            .distinct()
            .collect(Collectors.joining("\n"));
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "…";
  }

  private static String shown(String line) {
    String thrown = line.startsWith(CAUSE) ? line.substring(CAUSE.length()) : line;
    int colon = thrown.indexOf(':');
    return colon > 0 && OF_DATABASES.stream().anyMatch(thrown::startsWith)
        ? thrown.substring(0, colon)
        : thrown;
  }
}
