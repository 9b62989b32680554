/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.admin.Command;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.Place;
import io.forebay.web.Problem;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.ContentDisposition;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;

/** What operators do with a message that was not performed; each command is in the audit first. */
final class FailureCommands {

  /** The decisions about a message, as the last part of a path and of an action in the audit. */
  static final String DECISIONS = "set-aside|reopen|discard";

  private FailureCommands() {}

  /**
   * Sets a message aside, reopens it or discards it.
   *
   * @param decision one of {@link #DECISIONS}
   * @throws Problem if there is no such message, or a needed reason is missing
   * @throws io.forebay.operations.failures.DecisionRefused if its state does not allow it
   */
  static Failure decide(
      Failures failures,
      String id,
      String decision,
      Actor actor,
      @Nullable Command command,
      Audit audit) {
    Failure.State to = to(decision);
    Failure failure = failures.find(id).orElseThrow(ShownValues::unknown);
    String reason = reason(to, command);
    return audit.perform(
        Audit.Entry.allowed(actor, "failed." + decision, id, reason)
            .changing(
                Audit.Change.between(failure.fields(), Failure.fields(to, reason, actor.name()))),
        () -> failures.decide(id, to, actor.name(), reason).orElseThrow(ShownValues::unknown));
  }

  /**
   * Decides about all messages of a plan, which is first recorded in the audit.
   *
   * @param decision one of {@link #DECISIONS}
   * @return about how many; others were deleted, or somebody else decided about them before
   */
  static int decideAll(
      ReplayPlan plan,
      Failures failures,
      String decision,
      Actor actor,
      @Nullable Command command,
      Audit audit) {
    Failure.State to = to(decision);
    String reason = reason(to, command);
    return audit.perform(
        Audit.Entry.allowed(actor, "failures." + decision, plan.target(), reason)
            .changing(plan.change(to.text())),
        () -> failures.decideAll(plan.all(), to, actor.name(), reason));
  }

  private static Failure.State to(String decision) {
    return switch (decision) {
      case "set-aside" -> Failure.State.SET_ASIDE;
      case "reopen" -> Failure.State.OPEN;
      case "discard" -> Failure.State.DISCARDED;
      default -> throw new IllegalArgumentException("decision must be one of " + DECISIONS);
    };
  }

  private static String reason(Failure.State to, @Nullable Command command) {
    return to == Failure.State.OPEN ? Command.optional(command) : Command.required(command);
  }

  /**
   * A message as a file.
   *
   * @param queue the identity of its in-queue
   * @param kind as in {@link Failure#kind}
   * @param bytes the message as it was received, in Base64
   */
  record Exported(
      String service,
      int partition,
      long position,
      String queue,
      @Nullable UUID messageId,
      String kind,
      @Nullable String sqlState,
      String detail,
      Instant at,
      int size,
      String sha256,
      byte[] bytes) {}

  /**
   * Records the export, and then reads the bytes of a message.
   *
   * @return a file that nothing may cache
   * @throws Problem if there is no such message, it was too large to be kept, or the application
   *     has no audit
   */
  static ResponseEntity<Exported> export(
      Failures failures, String id, Actor actor, @Nullable Command command, Audit audit) {
    ShownValues.mustBeRecorded(audit);
    Failure failure = failures.find(id).orElseThrow(ShownValues::unknown);
    Place place = Place.of(id);
    byte[] bytes =
        audit.perform(
            Audit.Entry.allowed(actor, "failed.export", id, Command.optional(command)),
            () ->
                failures
                    .message(id)
                    .orElseThrow(() ->
                        failures.find(id).isEmpty()
                            ? ShownValues.unknown() // deleted meanwhile
                            : Problem.conflict(
                                "Its content was too large to be kept, so there is nothing to export.")));
    String name =
        String.format(
            Locale.ROOT,
            "failed-%s-%d-%d.json",
            place.service(),
            place.partition(),
            place.position());
    return ResponseEntity.ok()
        .cacheControl(CacheControl.noStore())
        .header(
            HttpHeaders.CONTENT_DISPOSITION,
            ContentDisposition.attachment().filename(name).build().toString())
        .body(
            new Exported(
                place.service(),
                place.partition(),
                place.position(),
                place.queueId(),
                failure.messageId(),
                failure.kind(),
                failure.sqlState(),
                failure.detail(),
                failure.at(),
                bytes.length,
                sha256(bytes),
                bytes));
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
