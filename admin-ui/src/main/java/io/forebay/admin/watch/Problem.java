/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.capacity.Alert;
import io.forebay.capacity.Until;
import java.time.Instant;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * Something an operator should know.
 *
 * @param id the same as long as it lasts, and when it comes again
 * @param service which it is about, or null
 * @param volume which it is about, or null
 * @param figure what was looked at, in the unit of the kind; null for a state
 * @param threshold the mark it is past; null for a state
 * @param trouble how urgent, among those of the same severity
 * @param silenced null if it is not
 */
record Problem(
    String id,
    Alert.Severity severity,
    AlertKind kind,
    @Nullable String service,
    @Nullable String volume,
    String text,
    Instant since,
    @Nullable Double figure,
    @Nullable Double threshold,
    Until trouble,
    @Nullable Silence silenced) {

  static final Comparator<Problem> URGENT =
      Comparator.comparing((Problem it) -> it.silenced() != null)
          .thenComparing(Problem::severity, Comparator.reverseOrder())
          .thenComparing(Problem::trouble)
          .thenComparing(Problem::kind)
          .thenComparing(Problem::id);

  /**
   * Who does not want to hear of it, until when and why.
   *
   * @param by a name
   */
  record Silence(String by, Instant until, String reason) {}

  Problem silenced(@Nullable Silence silence) {
    return new Problem(
        id, severity, kind, service, volume, text, since, figure, threshold, trouble, silence);
  }
}
