/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.DesiredState;
import io.forebay.operations.Instance;
import io.forebay.operations.OperatorCommands;
import io.forebay.operations.PartitionView;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.Services;
import io.forebay.operations.SetAside;
import io.forebay.operations.commands.RecordedCommand;
import io.forebay.service.errors.BlockingMessage;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/**
 * The state of services, and commands to them. Each command is in the audit before it takes effect.
 */
@RestController
final class ServicesController {

  /** How long a client sends a request again that got no answer. */
  private static final Duration REPEATED_WITHIN = Duration.ofMinutes(2);

  /** What the document of the API says of the commands below. */
  static final OperatorCommands COMMANDS =
      new OperatorCommands(
          List.of(
              command("pause", "Stops performing; messages are still accepted", true, false, true),
              command("resume", "Performs the waiting messages", false, false, false),
              command(
                  "drain",
                  "Accepts no new messages and performs the waiting ones",
                  true,
                  false,
                  false),
              command(
                  "partitions/{partition}/fail-message",
                  "Fails the message that the partition waits for",
                  true,
                  true,
                  false),
              command(
                  "partitions/{partition}/set-aside",
                  "Sets damaged messages aside at the next start",
                  true,
                  false,
                  false)));

  private static OperatorCommands.Command command(
      String path, String summary, boolean needsReason, boolean needsPosition, boolean mayReplace) {
    String whole = "/api/v1/services/{name}/" + path;
    return new OperatorCommands.Command(
        whole,
        summary,
        AdminAccess.roles(HttpMethod.POST, whole),
        needsReason,
        needsPosition,
        mayReplace,
        path.equals("pause"));
  }

  private final Services services;
  private final Instance instance;
  private final Audit audit;

  ServicesController(Services services, Instance instance, Audit audit) {
    this.services = services;
    this.instance = instance;
    this.audit = audit;
  }

  /**
   * @param ready whether every service accepts
   */
  record Status(
      String instance,
      String backend,
      Instant since,
      boolean ready,
      List<ServiceDocument> services) {}

  @GetMapping("/api/v1/status")
  Status status() {
    List<ServiceDocument> all = services.all().stream().map(this::document).toList();
    return new Status(
        instance.name(),
        instance.backend(),
        instance.since(),
        all.stream().allMatch(ServiceDocument::accepts),
        all);
  }

  @GetMapping("/api/v1/services/{name}")
  ServiceDocument service(@PathVariable String name) {
    return document(find(name));
  }

  /**
   * @param reason why, in the caller's words
   * @param until when the pause ends: an instant, or a duration from now; null for no end
   * @param replaces when the pause began that the caller has seen and replaces; null for none
   */
  record Pause(@Nullable JsonNode reason, @Nullable JsonNode until, @Nullable JsonNode replaces) {}

  /** A pause that another operator has requested is not replaced unseen. */
  @PostMapping({"/api/v1/services/{name}/pause", "/admin/api/v1/services/{name}/pause"})
  ServiceDocument pause(
      @PathVariable String name,
      @RequestBody(required = false) @Nullable Pause command,
      HttpServletRequest request) {
    Actor actor = Caller.of(request);
    ServiceOperations service = find(name);
    String reason = Command.required(command == null ? null : command.reason());
    Instant replaces = instant(command == null ? null : command.replaces());
    Instant until =
        command == null ? null : Parameters.end("/until", command.until(), Instant.now());
    Instant end = until == null ? null : until.truncatedTo(ChronoUnit.MICROS);
    DesiredState wanted = new DesiredState(name, true, reason, actor.name(), Instant.now(), end);
    Optional<DesiredState> another =
        services
            .preventing(wanted, replaces)
            .filter(it -> !isRepeated(it, reason, actor, command, until));
    if (another.isPresent()) {
      audit.record(
          Audit.Entry.allowed(actor, "service.pause", name, reason)
              .withOutcome(RecordedCommand.alreadyPaused(another.get().by(), another.get().at())));
      throw alreadyPaused(another.get());
    }
    DesiredState before = services.desired(name).orElse(null);
    boolean paused = isPaused(name);
    Audit.Entry entry = Command.entry(actor, "service.pause", name, reason, paused);
    if (!paused || replaces != null) {
      entry = entry.changing(change(before, wanted));
    }
    return audit.perform(
        until == null ? entry : entry.withOutcome(RecordedCommand.until(entry.outcome(), until)),
        () -> {
          Optional<DesiredState> found;
          try {
            found = services.pause(name, reason, actor.name(), until, replaces);
          } catch (UnsupportedOperationException _) {
            throw Refused.conflict(
                "A pause with an end needs the system database, and this process has none; nothing was done.");
          }
          if (found.filter(it -> !isRepeated(it, reason, actor, command, until)).isPresent()) {
            throw alreadyPaused(found.get());
          }
          return document(service);
        });
  }

  /**
   * Whether a client sends the pause that it has just requested once more, because it got no
   * answer. The end of a pause for a duration has moved by the time in between.
   */
  private static boolean isRepeated(
      DesiredState pause,
      String reason,
      Actor actor,
      @Nullable Pause command,
      @Nullable Instant until) {
    if (command == null || until == null || pause.until() == null) {
      return false;
    }
    Duration moved = Duration.between(pause.until(), until);
    return Parameters.isDuration(command.until())
        && pause.by().equals(actor.name())
        && pause.reason().equals(reason)
        && !moved.isNegative()
        && moved.compareTo(REPEATED_WITHIN) < 0;
  }

  private static @Nullable Instant instant(@Nullable JsonNode given) {
    if (given == null || given.isNull()) {
      return null;
    }
    try {
      return Instant.parse(given.isString() ? given.stringValue() : "");
    } catch (DateTimeParseException _) {
      throw Refused.invalidField(
          "/replaces", "must be the time at which the pause began, such as 2026-03-01T13:30:00Z");
    }
  }

  /** A pause, as a member of a problem document. */
  record Paused(Instant at, @Nullable Instant until, String by, String reason) {}

  private static Refused alreadyPaused(DesiredState pause) {
    return Refused.conflict(
            "%s has paused the service already (since %s%s%s); nothing was done. To replace this pause, send its time as \"replaces\"."
                .formatted(
                    pause.by(),
                    pause.at().truncatedTo(ChronoUnit.SECONDS),
                    pause.until() == null
                        ? ""
                        : ", until " + pause.until().truncatedTo(ChronoUnit.SECONDS),
                    pause.reason().isEmpty() ? "" : ", reason: " + pause.reason()))
        .with("paused", new Paused(pause.at(), pause.until(), pause.by(), pause.reason()));
  }

  @PostMapping({"/api/v1/services/{name}/resume", "/admin/api/v1/services/{name}/resume"})
  ServiceDocument resume(
      @PathVariable String name,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    Actor actor = Caller.of(request);
    ServiceOperations service = find(name);
    String reason = Command.optional(command);
    return audit.perform(
        Command.entry(actor, "service.resume", name, reason, isPaused(name))
            .changing(change(services.desired(name).orElse(null), null)),
        () -> {
          services.resume(name, reason, actor.name());
          return document(service);
        });
  }

  /** Responds at once; the state shows when the service is drained. */
  @PostMapping({"/api/v1/services/{name}/drain", "/admin/api/v1/services/{name}/drain"})
  @ResponseStatus(HttpStatus.ACCEPTED)
  ServiceDocument drain(
      @PathVariable String name,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request)
      throws InterruptedException {
    Actor actor = Caller.of(request);
    ServiceOperations service = find(name);
    String reason = Command.required(command);
    return audit.perform(
        Audit.Entry.allowed(actor, "service.drain", name, reason)
            .changing(Audit.Change.of("state", isPaused(name) ? "paused" : "running", "draining")),
        () -> {
          try {
            services.drain(name, reason, actor.name());
          } catch (IllegalStateException _) {
            throw Refused.conflict("The service works on no partition here; start it to drain it.");
          }
          return document(service);
        });
  }

  /**
   * @param damaged the damaged queues and the messages that will be missing in them
   * @param done when it takes effect
   */
  record SetAsideDocument(String service, int partition, List<SetAside> damaged, String done) {}

  /** Leaves a request that the next start executes. */
  @PostMapping({
    "/api/v1/services/{name}/partitions/{partition}/set-aside",
    "/admin/api/v1/services/{name}/partitions/{partition}/set-aside"
  })
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
      throw Refused.conflict("No damage is known in the queues of this partition.");
    } catch (UnsupportedOperationException _) {
      throw Refused.conflict("The queues of this backend have no files that could be set aside.");
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
  @PostMapping({
    "/api/v1/services/{name}/partitions/{partition}/fail-message",
    "/admin/api/v1/services/{name}/partitions/{partition}/fail-message"
  })
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
      throw Refused.invalidField("/position", "must be the position of the message, a number");
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

  private static Refused waitsForAnother(PartitionView partition) {
    BlockingMessage waitsFor = partition.waitsFor();
    return waitsFor == null
        ? Refused.conflict("This instance waits for no message of the partition; nothing was done.")
        : Refused.conflict(
                "The partition waits for the message at position %d now; nothing was done."
                    .formatted(waitsFor.position()))
            .with("waitsFor", waitsFor);
  }

  /**
   * @param after null if it runs
   */
  private static Audit.Change change(@Nullable DesiredState before, @Nullable DesiredState after) {
    return Audit.Change.between(DesiredState.fields(before), DesiredState.fields(after));
  }

  private static int partition(ServiceOperations service, String partition) {
    int number = partition.matches("[0-9]{1,6}") ? Integer.parseInt(partition) : -1;
    return view(service, number)
        .map(PartitionView::partition)
        .orElseThrow(() -> Refused.notFound("There is no such partition."));
  }

  private static Optional<PartitionView> view(ServiceOperations service, int partition) {
    return service.view().partitions().stream()
        .filter(one -> one.partition() == partition)
        .findFirst();
  }

  private boolean isPaused(String service) {
    return services.desired(service).map(DesiredState::paused).orElse(false);
  }

  private ServiceOperations find(String name) {
    return services.find(name).orElseThrow(() -> Refused.notFound("There is no such service."));
  }

  private ServiceDocument document(ServiceOperations service) {
    return ServiceDocument.of(service.view(), services.desired(service.name()).orElse(null));
  }
}
