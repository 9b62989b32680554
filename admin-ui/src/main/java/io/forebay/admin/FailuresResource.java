/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Messages that were not performed, over HTTP. Shows the size of their content, never the content.
 *
 * @param word the name of such a message in the audit
 */
record FailuresResource(String word, Failures failures, @Nullable Audit audit) {

  static final String DEFAULT_LIMIT = "100";

  Failures.Page list(
      @Nullable String service, @Nullable String before, int limit, HttpServletRequest request) {
    Caller.with(Caller.VIEWER, request);
    return failures.list(
        Parameters.text("service", service), Parameters.text("before", before), limit);
  }

  Failure one(String id, HttpServletRequest request) {
    Caller.with(Caller.VIEWER, request);
    return failures.find(id).orElseThrow(FailuresResource::unknown);
  }

  Failure replay(String id, @Nullable Command command, HttpServletRequest request) {
    Actor actor = Caller.with(Caller.OPERATOR, request);
    if (failures.find(id).isEmpty()) {
      throw unknown();
    }
    String reason = Command.required(command);
    if (audit != null) {
      audit.record(Audit.Entry.allowed(actor, word + ".replay", id, reason));
    }
    return failures.replay(id, actor.name()).orElseThrow(FailuresResource::unknown);
  }

  private static Refused unknown() {
    return Refused.notFound("There is no message with this id; it may have been deleted.");
  }
}
