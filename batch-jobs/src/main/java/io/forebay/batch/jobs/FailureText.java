/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import io.forebay.operations.jobs.FailureSummary;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.batch.core.ExitStatus;

/**
 * The part of failures that may be shown: exception names and messages. Of database exceptions only
 * the names and the kinds of failed statements are shown, since their messages may contain values.
 * The message of another exception is cut where it quotes a database exception.
 */
final class FailureText {

  private static final Pattern OF_DATABASES =
      Pattern.compile(
          "\\b(java\\.sql|org\\.springframework\\.dao|org\\.springframework\\.jdbc"
              + "|org\\.postgresql|org\\.hsqldb|io\\.forebay\\.jdbc)(\\.[\\w$]+)+"
              + "(: [A-Z_]+ \\(SQLState \\w+\\))?");
  private static final int LONGEST = 1_000;

  private FailureText() {}

  /**
   * Returns the exit status with a description of its failures and their causes, or its own. Spring
   * Batch stores the first 2,500 characters of the stack traces, which often do not include the
   * cause.
   */
  static ExitStatus of(ExitStatus exit, List<Throwable> failures) {
    Set<String> shown = new LinkedHashSet<>();
    for (Throwable failure : failures) {
      for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
        shown.add(shown(cause));
      }
    }
    String text = failures.isEmpty() ? cut(exit.getExitDescription()) : String.join("\n", shown);
    return new ExitStatus(
        exit.getExitCode(), text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "…");
  }

  /** One line that says why it failed; of database exceptions only the names. */
  static String cause(Throwable failure) {
    return FailureSummary.of(of(ExitStatus.FAILED, List.of(failure)).getExitDescription());
  }

  /** Whether it is a database exception or repeats the message of its cause. */
  private static boolean hides(Throwable failure) {
    if (isOfDatabase(failure)) {
      return true;
    }
    String text = String.valueOf(failure.getMessage());
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      String said = cause.getMessage();
      if (isOfDatabase(cause) && said != null && !said.isBlank() && text.contains(said)) {
        return true;
      }
    }
    return false;
  }

  private static String shown(Throwable failure) {
    String text = failure.toString();
    Matcher database = OF_DATABASES.matcher(text);
    if (hides(failure)) {
      return database.lookingAt() ? database.group() : failure.getClass().getName();
    }
    return cut(text);
  }

  /** Ends a text where it quotes a database exception. */
  private static String cut(String text) {
    Matcher database = OF_DATABASES.matcher(text);
    return database.find() ? text.substring(0, database.end()) : text;
  }

  private static boolean isOfDatabase(Throwable failure) {
    return failure instanceof SQLException
        || OF_DATABASES.matcher(failure.getClass().getName()).lookingAt();
  }
}
