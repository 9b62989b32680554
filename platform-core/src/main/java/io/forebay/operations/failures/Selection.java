/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import io.forebay.operations.Audit;
import io.forebay.operations.commands.RecordedCommand;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a group in one state that failed before a time, in the order in which they
 * failed. A command to a group names the time and the fingerprint of the messages that its operator
 * saw, and is refused if the messages are no longer the same.
 *
 * @param filter names service and error
 * @param what the error of the first message in words; null if there is none
 * @param ids the messages
 */
public record Selection(Failures.Filter filter, @Nullable String what, List<String> ids) {

  public String service() {
    return Objects.requireNonNull(filter.service());
  }

  public String error() {
    return Objects.requireNonNull(filter.error());
  }

  /** The same for the same messages, at every instance. */
  public String fingerprint() {
    return Integer.toHexString(ids.hashCode());
  }

  /** The target of a command in the audit. */
  public String target() {
    Failures.Cause cause = filter.cause();
    String of = cause == null ? "" : cause.text().replace('~', ' ').strip();
    return "failed %s of %s%s, %s"
        .formatted(
            error(),
            service(),
            of.isEmpty() ? "" : " (" + of + ")",
            RecordedCommand.messages(ids.size()));
  }

  /** The change of a command to the messages, for the audit. */
  public Audit.Change change(String after) {
    return Audit.Change.of(
        "messages", String.format(Locale.ROOT, "%,d waiting", ids.size()), after);
  }
}
