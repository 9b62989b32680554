/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.CommonPasswords;
import io.forebay.access.LoggedIn;
import io.forebay.access.Logins;
import io.forebay.access.Passwords;
import io.forebay.access.TooManyLogins;
import io.forebay.access.limits.BackOff;
import io.forebay.admin.ApiProblems;
import io.forebay.background.Outage;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.problem.ProblemType;
import io.forebay.security.body.AnonymousBodies;
import io.forebay.security.body.SmallBody;
import io.forebay.service.progress.Unavailable;
import io.forebay.system.StoredUser;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Logs in and out, and changes passwords. */
@RestController
@RequestMapping(SessionFilter.API)
final class SessionController {

  private static final Logger log = LoggerFactory.getLogger(SessionController.class);

  private static final String PASSWORD_RULE =
      ("Use %d to %d characters, no common password such as Password2026!, and neither the current"
              + " password nor the user name.")
          .formatted(Passwords.SHORTEST, Passwords.LONGEST);

  private final Logins logins;
  private final Passwords passwords;
  private final BackOff backOff;
  private final Audit audit;
  private final AnonymousBodies bodies;
  private final Outage outage =
      new Outage(log, "Looking up a user who logs in", "nobody can log in");

  SessionController(
      Logins logins, Passwords passwords, BackOff backOff, Audit audit, AnonymousBodies bodies) {
    this.logins = logins;
    this.passwords = passwords;
    this.backOff = backOff;
    this.audit = audit;
    this.bodies = bodies;
  }

  /**
   * @param mustChange whether the user must change the password before anything else
   * @param provider whether the OpenID provider identified the user, who has no password here
   * @param passwordRule what to use as a new password; a sentence for the page
   */
  record Me(String name, String role, boolean mustChange, boolean provider, String passwordRule) {

    static Me of(LoggedIn login) {
      StoredUser user = login.user();
      return new Me(
          user.name(),
          login.caller().role().text(),
          user.mustChange(),
          login.kind() == Actor.Kind.OIDC,
          PASSWORD_RULE);
    }
  }

  /**
   * @return null if the body has not arrived yet
   */
  @PostMapping(path = "/login", consumes = "application/json")
  @Nullable ResponseEntity<?> login(HttpServletRequest request) throws IOException {
    Optional<JsonNode> body = bodies.read(request);
    return body.isEmpty() ? null : login(request, body.get());
  }

  private ResponseEntity<?> login(HttpServletRequest request, JsonNode body) {
    String name = SmallBody.text(body, "user");
    String password = SmallBody.text(body, "password");
    begin(request, name);
    Optional<StoredUser> user;
    try {
      user = user(name);
    } catch (Unavailable e) {
      backOff.undo(request.getRemoteAddr(), name);
      return noLoginNow(e);
    }
    if (!isRight(request, name, user, password)) {
      user.ifPresent(it -> BearerFilter.noteUser(request, it.name()));
      return ResponseEntity.status(HttpStatus.UNAUTHORIZED)
          .header(HttpHeaders.WWW_AUTHENTICATE, "Bearer")
          .body(ApiProblems.problem(ProblemType.UNAUTHENTICATED, "Wrong user name or password."));
    }
    return begin(request, user.orElseThrow());
  }

  private ResponseEntity<Me> begin(HttpServletRequest request, StoredUser user) {
    Actor actor = new Actor(Actor.Kind.USER, user.name(), user.role(), request.getRemoteAddr());
    return begun(
        request,
        audit.perform(
            Audit.Entry.allowed(actor, "session.login", user.name(), ""),
            () -> logins.begin(user, request.getRemoteAddr())));
  }

  private ResponseEntity<ProblemDetail> noLoginNow(Unavailable failure) {
    outage.failed(failure);
    return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
        .header(HttpHeaders.RETRY_AFTER, "5")
        .body(
            ApiProblems.problem(
                ProblemType.DATABASE_UNAVAILABLE,
                "The system database is unavailable, and nobody can log in without it; retry later,"
                    + " or use a token"));
  }

  private static ResponseEntity<Me> begun(HttpServletRequest request, LoggedIn login) {
    return ResponseEntity.ok()
        .header(HttpHeaders.SET_COOKIE, SessionFilter.cookie(request, login.text()).toString())
        .header(
            HttpHeaders.SET_COOKIE, SessionFilter.csrfCookie(request, login.csrfToken()).toString())
        .body(Me.of(login));
  }

  /** Passwords can be guessed: who has to wait costs neither a query nor a hash. */
  private void begin(HttpServletRequest request, String name) {
    Duration pause = backOff.failed(request.getRemoteAddr(), name);
    if (!pause.isZero()) {
      BearerFilter.noteRefusal(request, HttpStatus.TOO_MANY_REQUESTS);
      throw new TooManyLogins(
          pause, "Too many wrong passwords for this user came from this address");
    }
  }

  /** Databases may ignore blanks at the end of a name, which counts as another one. */
  private Optional<StoredUser> user(String name) {
    if (name.length() > 100) {
      return Optional.empty();
    }
    Optional<StoredUser> found = logins.user(name);
    outage.over();
    return found.filter(it -> it.name().equals(name));
  }

  private boolean isRight(
      HttpServletRequest request, String name, Optional<StoredUser> user, String password) {
    boolean right;
    try {
      right = passwords.matches(password, user.map(StoredUser::password).orElse(null));
    } catch (TooManyLogins e) {
      backOff.undo(request.getRemoteAddr(), name);
      throw e;
    }
    if (right) {
      backOff.succeeded(request.getRemoteAddr(), name);
    }
    return right;
  }

  @PostMapping("/logout")
  ResponseEntity<Void> logout(HttpServletRequest request, Actor actor) {
    Optional<LoggedIn> login = SessionFilter.loggedIn(request);
    if (login.isEmpty()) {
      return ResponseEntity.noContent().build();
    }
    audit.perform(
        Audit.Entry.allowed(actor, "session.logout", actor.name(), ""),
        () -> {
          logins.end(login.get());
          return login;
        });
    return ResponseEntity.noContent()
        .header(HttpHeaders.SET_COOKIE, SessionFilter.cookie(request, "").toString())
        .header(HttpHeaders.SET_COOKIE, SessionFilter.csrfCookie(request, "").toString())
        .build();
  }

  @GetMapping("/me")
  ResponseEntity<Me> me(HttpServletRequest request, Actor actor) {
    Optional<LoggedIn> login = SessionFilter.loggedIn(request);
    return login.isEmpty()
        ? ResponseEntity.ok(new Me(actor.name(), actor.role(), false, false, PASSWORD_RULE))
        : ResponseEntity.ok()
            .header(
                HttpHeaders.SET_COOKIE,
                SessionFilter.csrfCookie(request, login.get().csrfToken()).toString())
            .body(Me.of(login.get()));
  }

  @PostMapping(path = "/password", consumes = "application/json")
  ResponseEntity<ProblemDetail> password(HttpServletRequest request, Actor actor)
      throws IOException {
    Optional<LoggedIn> login = SessionFilter.loggedIn(request);
    if (login.isEmpty()) {
      return refused("A token has no password; log in to change yours.");
    }
    if (login.get().kind() == Actor.Kind.OIDC) {
      return refused("You logged in with the OpenID provider, which has your password.");
    }
    JsonNode body = SmallBody.read(request);
    String old = SmallBody.text(body, "old");
    String wanted = SmallBody.text(body, "new");
    if (wanted.length() < Passwords.SHORTEST
        || wanted.length() > Passwords.LONGEST
        || wanted.equals(old)
        || wanted.equalsIgnoreCase(actor.name())) {
      return refused("The new password is not accepted. " + PASSWORD_RULE);
    }
    if (CommonPasswords.contains(wanted)) {
      return refused(
          "The new password is too common: choose one that is not on the lists that everybody tries"
              + " first.");
    }
    begin(request, actor.name());
    if (!isRight(request, actor.name(), Optional.of(login.get().user()), old)) {
      return refused("The current password is wrong.");
    }
    Audit.Entry entry =
        Audit.Entry.allowed(actor, "user.password", actor.name(), "")
            .changing(Audit.Change.of("password", "the current one", "a new one"));
    if (audit.perform(entry, () -> logins.changePassword(login.get(), passwords.hash(wanted)))) {
      return ResponseEntity.noContent().build();
    }
    audit.record(entry.withOutcome("failed: it was changed meanwhile").changing(Audit.Change.NONE));
    return refused("The password has been changed meanwhile; log in again.");
  }

  private static ResponseEntity<ProblemDetail> refused(String detail) {
    return ResponseEntity.badRequest()
        .body(ApiProblems.problem(ProblemType.INVALID_PASSWORD, detail));
  }
}
