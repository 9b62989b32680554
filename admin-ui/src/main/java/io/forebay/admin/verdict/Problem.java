/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import java.time.Instant;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * An open alert.
 *
 * @param id stays the same while the problem lasts and when it returns
 * @param service the service concerned, or null
 * @param volume the volume concerned, or null
 * @param job the job concerned, or null
 * @param execution the execution of the job that is to be restarted or looked at; null if there is
 *     none or more than one
 * @param since when it opened, or when it became as severe as it is; see {@link #opened}
 * @param figure the value of the figure, in the unit of the kind; null for a state
 * @param figures what the page words; null if {@code figure} is all
 */
public record Problem(
    String id,
    Alert.Severity severity,
    AlertKind kind,
    @Nullable String service,
    @Nullable String volume,
    @Nullable String job,
    @Nullable Long execution,
    Instant since,
    @Nullable Double figure,
    @Nullable Figures figures) {

  /** An alert of any kind but {@link AlertKind#JOB}. */
  static Problem of(
      AlertKind kind,
      String subject,
      Alert.Severity severity,
      Instant since,
      @Nullable Double figure,
      @Nullable Figures figures) {
    boolean ofVolume = kind == AlertKind.DISK || kind == AlertKind.SPACE;
    boolean ofService = !ofVolume && kind != AlertKind.INSTANCE;
    return new Problem(
        OpenAlerts.id(kind, subject),
        severity,
        kind,
        ofService ? subject : null,
        ofVolume ? subject : null,
        null,
        null,
        since,
        figure,
        figures);
  }

  /** Does not change while the same alerts are open. */
  public static final Comparator<Problem> URGENT =
      Comparator.comparing(Problem::severity, Comparator.reverseOrder())
          .thenComparing(Problem::kind)
          .thenComparing(Problem::since)
          .thenComparing(Problem::id);

  /** The same, open since this time if it is earlier, for instance because it got worse later. */
  public Problem opened(Instant at) {
    return at.isBefore(since)
        ? new Problem(id, severity, kind, service, volume, job, execution, at, figure, figures)
        : this;
  }
}
