/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.services;

import io.forebay.admin.Caller;
import io.forebay.admin.Command;
import io.forebay.admin.Parameters;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.DesiredState;
import io.forebay.operations.Instance;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.Services;
import io.forebay.operations.commands.RecordedCommand;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/**
 * The state of services, and commands to them. Each command is in the audit before it takes effect.
 */
@ForebayController
final class ServicesController {

  /** How long a client sends a request again that got no answer. */
  private static final Duration REPEATED_WITHIN = Duration.ofMinutes(2);

  private static final JsonNode NEVER = StringNode.valueOf("never");

  /** The end of a pause that names none. */
  private static final JsonNode USUAL_END = StringNode.valueOf("4h");

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

  @GetMapping({"/api/v1/services/{name}", "/admin/api/v1/services/{name}"})
  ServiceDocument service(@PathVariable String name) {
    return document(find(name));
  }

  /**
   * @param reason why, in the caller's words
   * @param until when the pause ends: an instant, a duration from now, or {@code never}; null for 4
   *     hours from now, so that no pause is forgotten
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
    Instant replaces = Parameters.instant("/replaces", command == null ? null : command.replaces());
    JsonNode given =
        command == null || command.until() == null || command.until().isNull()
            ? usualEnd()
            : command.until();
    Instant until = given.equals(NEVER) ? null : Parameters.end("/until", given, Instant.now());
    Instant end = until == null ? null : until.truncatedTo(ChronoUnit.MICROS);
    DesiredState wanted =
        new DesiredState(name, true, reason, actor.name(), Instant.now(), end, null);
    Optional<DesiredState> another =
        services
            .preventing(wanted, replaces)
            .filter(it -> !isRepeated(it, reason, actor, given, until));
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
            throw Problem.conflict(
                "A pause with an end needs the system database, and this process has none; nothing was done.");
          }
          if (found.filter(it -> !isRepeated(it, reason, actor, given, until)).isPresent()) {
            throw alreadyPaused(found.get());
          }
          return document(service);
        });
  }

  /** Without the system database, nobody would end it. */
  private JsonNode usualEnd() {
    return services.endPauses() ? USUAL_END : NEVER;
  }

  /**
   * Whether a client sends the pause that it has just requested once more, because it got no
   * answer. The end of a pause for a duration has moved by the time in between.
   */
  private static boolean isRepeated(
      DesiredState pause, String reason, Actor actor, JsonNode given, @Nullable Instant until) {
    if (until == null || pause.until() == null) {
      return false;
    }
    Duration moved = Duration.between(pause.until(), until);
    return Parameters.isDuration(given)
        && pause.by().equals(actor.name())
        && pause.reason().equals(reason)
        && !moved.isNegative()
        && moved.compareTo(REPEATED_WITHIN) < 0;
  }

  /** A pause, as a member of a problem document. */
  record Paused(Instant at, @Nullable Instant until, String by, String reason) {}

  private static Problem alreadyPaused(DesiredState pause) {
    return Problem.conflict(
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
            throw Problem.conflict("The service works on no partition here; start it to drain it.");
          }
          return document(service);
        });
  }

  /**
   * @param after null if it runs
   */
  private static Audit.Change change(@Nullable DesiredState before, @Nullable DesiredState after) {
    return Audit.Change.between(DesiredState.fields(before), DesiredState.fields(after));
  }

  private boolean isPaused(String service) {
    return services.desired(service).map(DesiredState::paused).orElse(false);
  }

  private ServiceOperations find(String name) {
    return services.find(name).orElseThrow(() -> Problem.notFound("There is no such service."));
  }

  private ServiceDocument document(ServiceOperations service) {
    return ServiceDocument.of(service.view(), services.desired(service.name()).orElse(null));
  }
}
