/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.ActiveSession;
import io.forebay.access.LoggedIn;
import io.forebay.access.Logins;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Lists and ends sessions: users their own, administrators those of all. The end is in the audit
 * before it takes effect.
 */
@RestController
@RequestMapping(SessionFilter.API)
final class SessionsController {

  private final Logins logins;
  private final Audit audit;

  SessionsController(Logins logins, Audit audit) {
    this.logins = logins;
    this.audit = audit;
  }

  /**
   * @param current whether the request came with this session
   */
  record View(
      String id, Instant begunAt, Instant usedAt, Instant endsAt, String address, boolean current) {

    static List<View> of(List<ActiveSession> sessions, Optional<LoggedIn> login) {
      return sessions.stream().map(it -> of(it, login)).toList();
    }

    private static View of(ActiveSession session, Optional<LoggedIn> login) {
      return new View(
          session.id(),
          session.begunAt(),
          session.usedAt(),
          session.endsAt(),
          session.address(),
          login.map(ActiveSession::id).filter(session.id()::equals).isPresent());
    }
  }

  record Sessions(List<View> sessions) {}

  /** The caller's own sessions; none for a token, even if a user has its name. */
  @GetMapping("/sessions")
  Sessions own(HttpServletRequest request) {
    Optional<LoggedIn> login = SessionFilter.loggedIn(request);
    return login.isEmpty() ? new Sessions(List.of()) : sessions(login.get().user().name(), login);
  }

  @GetMapping("/users/{name}/sessions")
  Sessions of(@PathVariable String name, HttpServletRequest request) {
    return sessions(name, SessionFilter.loggedIn(request));
  }

  private Sessions sessions(String user, Optional<LoggedIn> login) {
    return new Sessions(View.of(logins.sessions(user), login));
  }

  @DeleteMapping("/sessions/{id}")
  ResponseEntity<Void> endOwn(@PathVariable String id, HttpServletRequest request, Actor actor) {
    String user =
        SessionFilter.loggedIn(request)
            .map(it -> it.user().name())
            .orElseThrow(SessionsController::unknown);
    return end("session.end", user, id, actor);
  }

  @DeleteMapping("/users/{name}/sessions/{id}")
  ResponseEntity<Void> end(@PathVariable String name, @PathVariable String id, Actor actor) {
    return end("user.end-session", name, id, actor);
  }

  private ResponseEntity<Void> end(String action, String user, String id, Actor actor) {
    return audit.perform(
        Audit.Entry.allowed(actor, action, user, "session " + id)
            .changing(Audit.Change.of("session", "active", "ended")),
        () -> {
          if (!logins.end(user, id)) {
            throw unknown();
          }
          return ResponseEntity.noContent().build();
        });
  }

  static Problems.Declined unknown() {
    return new Problems.Declined(HttpStatus.NOT_FOUND, "There is no such session.");
  }
}
