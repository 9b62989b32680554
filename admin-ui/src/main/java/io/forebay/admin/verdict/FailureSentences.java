/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.report.RecentFailures;
import io.forebay.report.ServiceReport;
import io.forebay.text.Formats;
import java.time.Duration;

/** The sentences about failed messages that operators read. */
final class FailureSentences {

  /** What failed statements mean for those who wait. */
  private static final String CALLERS =
      "Their callers got the error; other statements do not wait for them.";

  private static final String ENDED = "Their callers got the error. ";

  private static final String CLOSES =
      "The alert closes once none is open there, or 15 minutes after the last one.";

  private FailureSentences() {}

  static String dead(ServiceReport report) {
    RecentFailures failures = report.failures();
    boolean haveEnded = failures.minute().deadLetters() == 0;
    return "%s got %s in the last 15 minutes%s; see Failed.%s"
        .formatted(
            report.name(),
            Formats.count(failures.quarter().deadLetters(), "dead letter"),
            haveEnded ? ", none in the last minute" : "",
            haveEnded ? " " + CLOSES : "");
  }

  /**
   * @param closing whether the share is back
   */
  static String failing(ServiceReport report, boolean closing) {
    RecentFailures failures = report.failures();
    Duration sinceLast = failures.haveEnded() ? failures.sinceLast() : null;
    String closes = closing ? "The alert closes soon." : CLOSES;
    return "%s: %s of %s failed in the last 15 minutes%s%s; see Failed. %s"
        .formatted(
            report.name(),
            Formats.number(failures.quarter().failed()),
            Formats.count(failures.quarter().performed(), "statement"),
            sinceLast == null ? "" : ", the last one " + Sentences.ago(sinceLast),
            failures.causeText().map(": %s"::formatted).orElse(""),
            sinceLast != null || closing ? ENDED + closes : CALLERS);
  }

  /** Of what was performed since they began, like the figures of the groups under Failed. */
  static String failingNow(ServiceReport report) {
    RecentFailures failures = report.failures();
    return "%s: %s of statements fail, %s in the last minute%s; see Failed. %s"
        .formatted(
            report.name(),
            Formats.share(failures.shareNow().orElse(0)),
            Formats.number(failures.lately().failed()),
            failures.causeText().map(": %s"::formatted).orElse(""),
            CALLERS);
  }
}
