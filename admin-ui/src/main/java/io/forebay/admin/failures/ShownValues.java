/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.failures.FailureValues;
import io.forebay.operations.failures.Failures;
import io.forebay.web.Problem;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;

/** Shows the content of messages that were not performed; every look is in the audit. */
public final class ShownValues {

  private ShownValues() {}

  /**
   * Records the look, and then reads the content.
   *
   * @return an answer that nothing may cache
   * @throws Problem if there is no such message, or the application has no audit
   * @throws io.forebay.service.progress.Unavailable if the look cannot be recorded
   */
  public static ResponseEntity<FailureValues> answer(
      Failures failures, String id, Actor actor, Audit audit) {
    mustBeRecorded(audit);
    if (failures.find(id).isEmpty()) {
      throw unknown();
    }
    FailureValues values =
        audit.perform(
            Audit.Entry.allowed(actor, "failed.values", id, ""),
            () -> failures.values(id).orElseThrow(ShownValues::unknown));
    return ResponseEntity.ok().cacheControl(CacheControl.noStore()).body(values);
  }

  /**
   * @throws Problem if the application has no audit
   */
  public static void mustBeRecorded(Audit audit) {
    if (!audit.isKept()) {
      throw Problem.conflict(
          "Values are shown only if the audit records it, and this application has no audit.");
    }
  }

  /** For an id that no message has. */
  public static Problem unknown() {
    return Problem.notFound("There is no message with this id; it may have been deleted.");
  }
}
