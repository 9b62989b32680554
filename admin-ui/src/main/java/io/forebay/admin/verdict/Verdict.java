/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.report.ServiceReport;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The overall state.
 *
 * @param severity that of the worst problem or service
 * @param problems the most urgent first
 */
public record Verdict(Severity severity, List<Problem> problems) {

  private static final int MOST = 20;

  public static Verdict of(List<ServiceReport> services, List<Problem> problems) {
    Severity worst =
        Stream.concat(
                problems.stream().map(Problem::severity),
                services.stream().map(it -> Judge.severity(it, problems)))
            .max(Comparator.naturalOrder())
            .orElse(Severity.FINE);
    return new Verdict(worst, problems.stream().limit(MOST).toList());
  }
}
