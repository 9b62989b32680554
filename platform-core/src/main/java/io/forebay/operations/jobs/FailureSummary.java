/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.jobs;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** One line that says why a job failed, out of the exceptions that ended it. */
public final class FailureSummary {

  private static final String CAUSE = "Caused by: ";

  /** What a step says of its partitions is a summary already. */
  private static final Pattern PARTITION = Pattern.compile("[\\w.$]+: (partition \\S+ failed.*)");

  private static final Pattern OWN = Pattern.compile("io\\.forebay\\.[\\w.$]+: (.+)");
  private static final Pattern HAS_MESSAGE = Pattern.compile("[a-z][\\w.$]+: .+");
  private static final Pattern HAS_NONE = Pattern.compile("[a-z]\\w*(\\.[\\w$]+)+");

  private FailureSummary() {}

  /**
   * Returns the messages of Forebay, which name the service and its address, and the innermost
   * cause; without a message of Forebay, the innermost cause.
   *
   * @param failure a stack trace, or a line for each exception, outermost first
   * @return one line; empty if the failure is
   */
  public static String of(String failure) {
    List<String> lines =
        failure
            .lines()
            .filter(line -> !line.isBlank() && !line.startsWith("\t"))
            .map(line -> line.startsWith(CAUSE) ? line.substring(CAUSE.length()) : line)
            .toList();
    if (lines.isEmpty()) {
      return "";
    }
    String innermost = lines.getLast();
    for (String line : lines) {
      Matcher partition = PARTITION.matcher(line);
      if (partition.matches()) {
        return partition.group(1);
      }
    }
    List<String> own =
        lines.stream()
            .dropWhile(line -> !OWN.matcher(line).matches())
            .takeWhile(line -> OWN.matcher(line).matches())
            .toList();
    if (!own.isEmpty()) {
      String messages =
          own.stream()
              .map(line -> OWN.matcher(line).replaceFirst("$1"))
              .collect(Collectors.joining(": "));
      return own.getLast().equals(innermost) ? messages : messages + " (" + innermost + ")";
    }
    return HAS_NONE.matcher(innermost).matches()
        ? lines.reversed().stream()
            .filter(line -> HAS_MESSAGE.matcher(line).matches())
            .findFirst()
            .map(line -> line + " (" + innermost + ")")
            .orElse(innermost)
        : innermost;
  }
}
