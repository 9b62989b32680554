/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.services;

import io.forebay.admin.Caller;
import io.forebay.admin.Command;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.Services;
import io.forebay.operations.SetAside;
import io.forebay.service.PartitionView;
import io.forebay.service.errors.BlockingMessage;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import tools.jackson.databind.JsonNode;

/** Commands to one partition of a service. Each command is in the audit before it takes effect. */
@ForebayController
@RequestMapping({
  "/api/v1/services/{name}/partitions/{partition}",
  "/admin/api/v1/services/{name}/partitions/{partition}"
})
final class PartitionsController {

  private final Services services;
  private final Audit audit;

  PartitionsController(Services services, Audit audit) {
    this.services = services;
    this.audit = audit;
  }

  /**
   * @param damaged the damaged queues and the messages that will be missing in them
   * @param done when it takes effect
   */
  record SetAsideDocument(String service, int partition, List<SetAside> damaged, String done) {}

  /** Leaves a request that the next start executes. */
  @PostMapping("/set-aside")
  @ResponseStatus(HttpStatus.ACCEPTED)
  SetAsideDocument setAside(
      @PathVariable String name,
      @PathVariable String partition,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    Actor actor = Caller.of(request);
    ServiceOperations service = find(name);
    int number = partition(service, partition);
    String reason = Command.required(command);
    return audit.perform(
        Audit.Entry.allowed(actor, "service.set-aside", name + "/" + number, reason)
            .changing(Audit.Change.of("damaged files", "in use", "set aside at the next start")),
        () -> setAside(service, number));
  }

  private static SetAsideDocument setAside(ServiceOperations service, int partition) {
    try {
      return new SetAsideDocument(
          service.name(), partition, service.setAside(partition), "at the next start");
    } catch (IllegalStateException _) {
      throw Problem.conflict("No damage is known in the queues of this partition.");
    } catch (UnsupportedOperationException _) {
      throw Problem.conflict("The queues of this backend have no files that could be set aside.");
    }
  }

  /**
   * @param position of the message; a decimal number
   * @param reason why, in the caller's words
   */
  record FailMessage(@Nullable JsonNode position, @Nullable JsonNode reason) {}

  /**
   * @param done when it takes effect
   */
  record FailMessageDocument(String service, int partition, long position, String done) {}

  /** Has the message fail for which a partition waits. */
  @PostMapping("/fail-message")
  @ResponseStatus(HttpStatus.ACCEPTED)
  FailMessageDocument failMessage(
      @PathVariable String name,
      @PathVariable String partition,
      @RequestBody(required = false) @Nullable FailMessage command,
      HttpServletRequest request) {
    Actor actor = Caller.of(request);
    ServiceOperations service = find(name);
    int number = partition(service, partition);
    String reason = Command.required(command == null ? null : command.reason());
    JsonNode given = command == null ? null : command.position();
    if (given == null || !given.isIntegralNumber() || !given.canConvertToLong()) {
      throw Problem.invalidField("/position", "must be the position of the message, a number");
    }
    long position = given.longValue();
    String target = name + "/" + number + "/" + position;
    return audit.perform(
        Audit.Entry.allowed(actor, "service.fail-message", target, reason)
            .changing(Audit.Change.of("message", "blocks the partition", "failed")),
        () -> {
          if (!service.failMessage(number, position, reason)) {
            throw waitsForAnother(view(service, number).orElseThrow());
          }
          return new FailMessageDocument(name, number, position, "within seconds");
        });
  }

  private static Problem waitsForAnother(PartitionView partition) {
    BlockingMessage waitsFor = partition.waitsFor();
    return waitsFor == null
        ? Problem.conflict("This instance waits for no message of the partition; nothing was done.")
        : Problem.conflict(
                "The partition waits for the message at position %d now; nothing was done."
                    .formatted(waitsFor.position()))
            .with("waitsFor", waitsFor);
  }

  private static int partition(ServiceOperations service, String partition) {
    int number = partition.matches("[0-9]{1,6}") ? Integer.parseInt(partition) : -1;
    return view(service, number)
        .map(PartitionView::partition)
        .orElseThrow(() -> Problem.notFound("There is no such partition."));
  }

  private static Optional<PartitionView> view(ServiceOperations service, int partition) {
    return service.view().partitions().stream()
        .filter(one -> one.partition() == partition)
        .findFirst();
  }

  private ServiceOperations find(String name) {
    return services.find(name).orElseThrow(() -> Problem.notFound("There is no such service."));
  }
}
