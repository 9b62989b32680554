/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.text.Formats;

/** The sentences about failed statements and dead letters that operators read. */
final class FailureSentences {

  /** What failed statements mean for those who wait. */
  private static final String CALLERS =
      "Their callers got the error; other statements do not wait for them.";

  private FailureSentences() {}

  static String dead(ServiceReport report) {
    RecentFailures failures = report.failures();
    return "%s got %s in the last 15 minutes%s; see Failed."
        .formatted(
            report.name(),
            Formats.count(failures.quarter().deadLetters(), "dead letter"),
            failures.minute().deadLetters() == 0 ? ", none in the last minute" : "");
  }

  /**
   * @param closing whether the share is back
   */
  static String failing(ServiceReport report, boolean closing) {
    RecentFailures failures = report.failures();
    return "%s: %s of %s failed in the last 15 minutes%s%s %s%s"
        .formatted(
            report.name(),
            Formats.number(failures.quarter().failed()),
            Formats.count(failures.quarter().performed(), "statement"),
            failures.sinceLast() != null && failures.haveEnded()
                ? ", the last one " + Sentences.ago(failures.sinceLast())
                : "",
            failures.causeText().map(": %s."::formatted).orElse("; see Failed."),
            CALLERS,
            closing ? " The alert closes soon." : "");
  }

  /** Of what was performed since they began, like the figures of the groups under Failed. */
  static String failingNow(ServiceReport report) {
    RecentFailures failures = report.failures();
    return "%s: %s of statements fail, %s in the last minute%s %s"
        .formatted(
            report.name(),
            Formats.share(failures.shareNow().orElse(0)),
            Formats.number(failures.lately().failed()),
            failures.causeText().map(": %s."::formatted).orElse("; see Failed."),
            CALLERS);
  }
}
