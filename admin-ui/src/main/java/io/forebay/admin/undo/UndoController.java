/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.undo;

import io.forebay.admin.Caller;
import io.forebay.admin.Command;
import io.forebay.admin.Refused;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.Inverse;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Undoes a command by the number of its entry in the audit. An undo is a command with an entry of
 * its own, which names the one that it undoes.
 */
@RestController
@RequestMapping({"/api/v1/audit/{number}/undo", "/admin/api/v1/audit/{number}/undo"})
final class UndoController {

  private final Audit audit;
  private final List<Inverse> inverses;

  UndoController(Audit audit, List<Inverse> inverses) {
    this.audit = audit;
    this.inverses = List.copyOf(inverses);
  }

  /**
   * What an undo would do now.
   *
   * @param action its action in the audit; null if it is not possible
   * @param changes what it would change
   * @param why why it is not possible; null if it is
   */
  record Preview(
      boolean possible, @Nullable String action, List<Audit.Field> changes, @Nullable String why) {}

  @GetMapping
  Preview preview(@PathVariable long number, HttpServletRequest request) {
    Audit.Entry done = find(number);
    try {
      Inverse.Undo undo = undo(number, done, Caller.of(request), "", request);
      return new Preview(true, undo.action(), undo.change().fields(), null);
    } catch (RuntimeException e) {
      if (e instanceof Audit.Refusal) {
        return new Preview(false, null, List.of(), e.getMessage());
      }
      throw e;
    }
  }

  @PostMapping
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void undo(
      @PathVariable long number,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    Actor actor = Caller.of(request);
    String reason = Command.optional(command);
    Audit.Entry done = find(number);
    Inverse.Undo undo = undo(number, done, actor, reason, request);
    audit.perform(
        Audit.Entry.allowed(actor, undo.action(), done.target(), reason)
            .withOutcome(Audit.ALLOWED + ", undoes entry " + number)
            .changing(undo.change().undoing(number)),
        () -> {
          undo.effect().run();
          return number;
        });
  }

  private Audit.Entry find(long number) {
    return audit
        .find(number)
        .map(Audit.Recorded::entry)
        .orElseThrow(() -> Refused.notFound("The audit has no entry of this number."));
  }

  /**
   * @throws RuntimeException an {@link Audit.Refusal} if it cannot be undone now
   */
  private Inverse.Undo undo(
      long number, Audit.Entry done, Actor actor, String reason, HttpServletRequest request) {
    Optional<Inverse> inverse =
        inverses.stream().filter(it -> it.actions().contains(done.action())).findFirst();
    if (inverse.isEmpty()) {
      throw Refused.conflict(
          "Commands of the action %s cannot be undone.".formatted(done.action()));
    }
    if (!done.outcome().startsWith(Audit.ALLOWED) || done.change().fields().isEmpty()) {
      throw Refused.conflict("Entry %d changed nothing.".formatted(number));
    }
    Caller.with(inverse.get().role().toUpperCase(Locale.ROOT), request);
    Inverse.Undo undo = inverse.get().plan(done, actor, reason);
    if (undo == null) {
      throw Refused.conflict("%s does not exist any longer.".formatted(done.target()));
    }
    mustBeAsLeft(number, done, undo);
    return undo;
  }

  private static void mustBeAsLeft(long number, Audit.Entry done, Inverse.Undo undo) {
    for (Audit.Field left : done.change().fields()) {
      Audit.Field now = new Audit.Field(left.name(), "", undo.now().getOrDefault(left.name(), ""));
      if (!now.after().equals(left.after())) {
        throw Refused.conflict(
            "%s has changed since entry %d: %s is now %s, and the command left %s."
                .formatted(
                    done.target(), number, left.name(), word(now.after()), word(left.after())));
      }
    }
  }

  private static String word(String value) {
    return value.isEmpty() ? "none" : value;
  }
}
