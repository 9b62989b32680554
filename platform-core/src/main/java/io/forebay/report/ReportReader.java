/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import java.time.Instant;
import java.util.List;

/** Gets the reports of each second, after all sources were sampled. One thread calls it. */
@FunctionalInterface
public interface ReportReader {
  void read(Instant now, List<ServiceReport> reports);
}
