/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.CommonPasswords;
import io.forebay.access.LoggedIn;
import io.forebay.access.LoginLimits;
import io.forebay.access.Logins;
import io.forebay.access.Passwords;
import io.forebay.access.TooManyLogins;
import io.forebay.admin.ApiProblems;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.problem.ProblemType;
import io.forebay.service.progress.Unavailable;
import io.forebay.system.StoredUser;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Optional;
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

  private static final String PASSWORD_RULE =
      ("Use %d to %d characters, no common password such as Password2026!, and neither the current"
              + " password nor the user name.")
          .formatted(Passwords.SHORTEST, Passwords.LONGEST);

  private final Logins logins;
  private final Passwords passwords;
  private final LoginLimits limits;
  private final Audit audit;

  SessionController(Logins logins, Passwords passwords, LoginLimits limits, Audit audit) {
    this.logins = logins;
    this.passwords = passwords;
    this.limits = limits;
    this.audit = audit;
  }

  /**
   * @param mustChange whether the user must change the password before anything else
   * @param passwordRule what to use as a new password; a sentence for the page
   */
  record Me(String name, String role, boolean mustChange, String passwordRule) {

    static Me of(LoggedIn login) {
      StoredUser user = login.user();
      return new Me(user.name(), login.caller().role().text(), user.mustChange(), PASSWORD_RULE);
    }
  }

  @PostMapping(path = "/login", consumes = "application/json")
  ResponseEntity<?> login(HttpServletRequest request) throws IOException {
    JsonNode body = SmallBody.read(request);
    String name = SmallBody.text(body, "user");
    String password = SmallBody.text(body, "password");
    LoginLimits.Attempt attempt = begin(request, name);
    Optional<StoredUser> user = user(attempt, name);
    if (!isRight(attempt, user, password)) {
      user.ifPresent(it -> BearerFilter.noteUser(request, it.name()));
      return ResponseEntity.status(HttpStatus.UNAUTHORIZED)
          .header(HttpHeaders.WWW_AUTHENTICATE, "Bearer")
          .body(ApiProblems.problem(ProblemType.UNAUTHENTICATED, "Wrong user name or password."));
    }
    StoredUser found = user.orElseThrow();
    Actor actor = new Actor(Actor.Kind.USER, found.name(), found.role(), request.getRemoteAddr());
    LoggedIn login =
        audit.perform(
            Audit.Entry.allowed(actor, "session.login", found.name(), ""),
            () -> logins.begin(found, request.getRemoteAddr()));
    return ResponseEntity.ok()
        .header(HttpHeaders.SET_COOKIE, SessionFilter.cookie(request, login.text()).toString())
        .header(
            HttpHeaders.SET_COOKIE, SessionFilter.csrfCookie(request, login.csrfToken()).toString())
        .body(Me.of(login));
  }

  /** Passwords can be guessed: who has to wait costs neither a query nor a hash. */
  private LoginLimits.Attempt begin(HttpServletRequest request, String name) {
    try {
      return limits.begin(request.getRemoteAddr(), name);
    } catch (TooManyLogins e) {
      BearerFilter.noteTooMany(request);
      throw e;
    }
  }

  private Optional<StoredUser> user(LoginLimits.Attempt attempt, String name) {
    try {
      // Databases may ignore blanks at the end of a name, which the limits count as another one.
      return name.length() > 100
          ? Optional.empty()
          : logins.user(name).filter(it -> it.name().equals(name));
    } catch (Unavailable e) {
      attempt.undo();
      throw e;
    }
  }

  private boolean isRight(LoginLimits.Attempt attempt, Optional<StoredUser> user, String password) {
    boolean right;
    try {
      right = passwords.matches(password, user.map(StoredUser::password).orElse(null));
    } catch (TooManyLogins e) {
      attempt.undo();
      throw e;
    }
    if (right) {
      attempt.succeeded();
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
        ? ResponseEntity.ok(new Me(actor.name(), actor.role(), false, PASSWORD_RULE))
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
    JsonNode body = SmallBody.read(request);
    String old = SmallBody.text(body, "old");
    String wanted = SmallBody.text(body, "new");
    if (wanted.length() < Passwords.SHORTEST
        || wanted.length() > Passwords.LONGEST
        || wanted.equals(old)
        || wanted.equalsIgnoreCase(actor.name())) {
      return refused("The new password is not accepted. " + PASSWORD_RULE);
    }
    if (CommonPasswords.contains(wanted, actor.name())) {
      return refused(
          "The new password is too common: choose other words than those that everybody tries"
              + " first, or more of them.");
    }
    if (!isRight(begin(request, actor.name()), Optional.of(login.get().user()), old)) {
      return refused("The current password is wrong.");
    }
    Audit.Entry entry = Audit.Entry.allowed(actor, "user.password", actor.name(), "");
    if (audit.perform(entry, () -> logins.changePassword(login.get(), passwords.hash(wanted)))) {
      return ResponseEntity.noContent().build();
    }
    audit.record(entry.withOutcome("failed: it was changed meanwhile"));
    return refused("The password has been changed meanwhile; log in again.");
  }

  private static ResponseEntity<ProblemDetail> refused(String detail) {
    return ResponseEntity.badRequest()
        .body(ApiProblems.problem(ProblemType.INVALID_PASSWORD, detail));
  }
}
