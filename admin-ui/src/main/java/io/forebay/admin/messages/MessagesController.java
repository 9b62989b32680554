/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.messages;

import io.forebay.admin.Caller;
import io.forebay.admin.Parameters;
import io.forebay.admin.failures.ShownValues;
import io.forebay.operations.Audit;
import io.forebay.operations.messages.Messages;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * The queues and their messages. Arguments and values are shown only with a look that is in the
 * audit.
 */
@ForebayController
@RequestMapping("/admin/api/v1/queues")
final class MessagesController {

  private final Messages messages;
  private final Audit audit;

  MessagesController(Messages messages, Audit audit) {
    this.messages = messages;
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
      @RequestParam(defaultValue = "0") int partition,
      @RequestParam(required = false) @Nullable Long before,
      @RequestParam(required = false) @Nullable UUID id,
      @RequestParam(required = false) @Nullable String key,
      @RequestParam(defaultValue = "50") int limit) {
    return messages
        .page(new Messages.Search(queue, partition, before, id, Parameters.text("key", key), limit))
        .orElseThrow(() -> Problem.notFound("There is no such queue or partition."));
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

  private static Problem unknown() {
    return Problem.notFound("There is no such message; it may have been deleted.");
  }
}
