/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.Alert.Severity;
import io.forebay.report.ServiceReport;
import java.util.List;

/**
 * The overall state.
 *
 * @param severity the severity of the worst problem
 * @param problems the most urgent first
 * @param recovered what has recovered lately, the latest first
 */
public record Verdict(Severity severity, List<Problem> problems, List<Recovery> recovered) {

  private static final int MOST = 20;

  public static Verdict of(
      List<ServiceReport> services, List<Problem> problems, List<Recovery> recovered) {
    boolean grows = services.stream().anyMatch(it -> it.state() == ServiceReport.State.GROWING);
    Severity severity =
        problems.isEmpty()
            ? (grows ? Severity.WATCH : Severity.FINE)
            : problems.getFirst().severity();
    return new Verdict(severity, problems.stream().limit(MOST).toList(), recovered);
  }
}
