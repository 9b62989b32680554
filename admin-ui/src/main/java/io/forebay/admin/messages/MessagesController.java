/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.messages;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.admin.Caller;
import io.forebay.admin.Parameters;
import io.forebay.admin.Refused;
import io.forebay.admin.failures.ShownValues;
import io.forebay.operations.Audit;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.messages.Life;
import io.forebay.operations.messages.Messages;
import io.forebay.queue.QueueUnavailable;
import io.forebay.service.progress.Unavailable;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The queues and their messages. Arguments and values are shown only with a look that is in the
 * audit.
 */
@RestController
@RequestMapping("/admin/api/v1/queues")
final class MessagesController {

  /** Of those that were replayed with success, the failure is still of interest. */
  private static final Set<Life.State> MAY_HAVE_FAILED =
      EnumSet.of(Life.State.FAILED, Life.State.ANSWERED, Life.State.UNKNOWN);

  private final Messages messages;
  private final Map<String, Failures> failures;
  private final Audit audit;

  /**
   * @param failures by kind: failed, dead
   */
  MessagesController(Messages messages, Map<String, Failures> failures, Audit audit) {
    this.messages = messages;
    this.failures = failures;
    this.audit = audit;
  }

  record Queues(List<Messages.Listed> queues) {}

  @GetMapping
  Queues queues() {
    return new Queues(messages.queues());
  }

  @GetMapping("/{queue}/messages")
  Messages.Page page(
      @PathVariable String queue,
      @RequestParam(required = false) @Nullable Integer partition,
      @RequestParam(required = false) @Nullable String from,
      @RequestParam(required = false) @Nullable String before,
      @RequestParam(required = false) @Nullable String after,
      @RequestParam(required = false) @Nullable UUID id,
      @RequestParam(required = false) @Nullable String key,
      @RequestParam(required = false) @Nullable String statement,
      @RequestParam(defaultValue = "50") int limit) {
    return messages
        .page(
            new Messages.Search(
                queue,
                partition,
                Parameters.text("from", from),
                Parameters.text("before", before),
                Parameters.text("after", after),
                id,
                Parameters.text("key", key),
                Parameters.text("statement", statement),
                limit))
        .orElseThrow(MessagesController::unknownQueue);
  }

  @GetMapping("/{queue}/messages/{partition}/{position}")
  Map<String, Object> one(
      @PathVariable String queue, @PathVariable int partition, @PathVariable long position) {
    return messages
        .message(queue, partition, position, false)
        .orElseThrow(MessagesController::unknown);
  }

  /** Records the look before it reads the message. */
  @PostMapping("/{queue}/messages/{partition}/{position}/values")
  ResponseEntity<Map<String, Object>> values(
      @PathVariable String queue,
      @PathVariable int partition,
      @PathVariable long position,
      HttpServletRequest request) {
    ShownValues.mustBeRecorded(audit);
    one(queue, partition, position);
    String target = "%s/%d/%d".formatted(queue, partition, position);
    Map<String, Object> message =
        audit.perform(
            Audit.Entry.allowed(Caller.of(request), "message.values", target, ""),
            () ->
                messages
                    .message(queue, partition, position, true)
                    .orElseThrow(MessagesController::unknown));
    return ResponseEntity.ok().cacheControl(CacheControl.noStore()).body(message);
  }

  /**
   * @param failures of the stages that failed, if they are still kept
   * @param failuresUnknown why it is not known whether there are some; or null
   */
  record Lived(@JsonUnwrapped Life life, List<Failed> failures, @Nullable String failuresUnknown) {}

  /**
   * A failed statement or dead letter, as the list of failures has it.
   *
   * @param kind failed or dead
   * @param position of the message in the in-queue of the service
   */
  record Failed(
      String kind,
      String id,
      String service,
      long position,
      Failure.State state,
      Failure.@Nullable Replay replay,
      Failure.@Nullable Decision decision) {

    static Failed of(String kind, Failure failure) {
      return new Failed(
          kind,
          failure.id(),
          failure.service(),
          failure.position(),
          failure.state(),
          failure.replay(),
          failure.decision());
    }
  }

  @GetMapping("/{queue}/messages/{partition}/{position}/life")
  Lived life(@PathVariable String queue, @PathVariable int partition, @PathVariable long position) {
    Life life = messages.life(queue, partition, position).orElseThrow(MessagesController::unknown);
    List<Failed> found = new ArrayList<>();
    try {
      for (Life.Stage stage : life.stages()) {
        if (MAY_HAVE_FAILED.contains(stage.state())) {
          failures.forEach((kind, all) ->
              all.at(stage.service(), partition, stage.position())
                  .ifPresent(it -> found.add(Failed.of(kind, it))));
        }
      }
      return new Lived(life, found, null);
    } catch (Unavailable | QueueUnavailable e) {
      return new Lived(life, found, String.valueOf(e.getMessage()));
    }
  }

  static Refused unknownQueue() {
    return Refused.notFound("There is no such queue or partition.");
  }

  private static Refused unknown() {
    return Refused.notFound("There is no such message; it may have been deleted.");
  }
}
