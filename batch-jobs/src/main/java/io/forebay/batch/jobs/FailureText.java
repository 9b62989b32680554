/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.batch.core.ExitStatus;

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
  private static final Pattern THROWN = Pattern.compile("[a-z]\\w*(\\.[\\w$]+)+(?=:|$)");
  private static final String CAUSE = "Caused by: ";
  private static final int LONGEST = 1_000;

  private FailureText() {}

  /**
   * The same exit, described by its failures and their causes. Spring Batch describes it by stack
   * traces and keeps their first 2,500 characters, in which the cause often is not.
   */
  static ExitStatus of(ExitStatus exit, List<Throwable> failures) {
    StringBuilder chains = new StringBuilder();
    for (Throwable failure : failures) {
      for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
        chains.append(cause).append('\n');
      }
    }
    return new ExitStatus(exit.getExitCode(), of(chains.toString()));
  }

  static String of(String description) {
    Set<String> shown = new LinkedHashSet<>();
    boolean hidden = false;
    for (String line : description.lines().toList()) {
      if (line.isBlank() || line.startsWith("\t")) {
        continue;
      }
      String text = line.startsWith(CAUSE) ? line.substring(CAUSE.length()) : line;
      Matcher thrown = THROWN.matcher(text);
      if (thrown.lookingAt()) {
        hidden = OF_DATABASES.stream().anyMatch(text::startsWith);
        shown.add(hidden ? thrown.group() : text);
      } else if (!hidden) {
        shown.add(text);
      }
    }
    String text = String.join("\n", shown);
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "…";
  }
}
