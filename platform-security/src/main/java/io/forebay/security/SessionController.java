/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.forebay.access.FirstAccess;
import io.forebay.access.LoginDelay;
import io.forebay.access.Passwords;
import io.forebay.access.Tokens;
import io.forebay.access.Users;
import io.forebay.access.oidc.OidcLogin;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.system.StoredToken;
import io.forebay.system.StoredUser;
import io.forebay.text.WholeText;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.web.authentication.logout.SecurityContextLogoutHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import tools.jackson.databind.JsonNode;

/** Says who is logged in, logs out, and changes passwords. */
@ForebayController
@RequestMapping(OwnPaths.PAGE)
final class SessionController {

  private static final String PASSWORD_RULE =
      ("Use %d to %d characters, no common password such as Password2026!, and neither the current"
              + " password nor the user name.")
          .formatted(Passwords.SHORTEST, Passwords.LONGEST);

  private final Tokens tokens;
  private final Users users;
  private final Passwords passwords;
  private final LoginDelay delay;
  private final LoginCookie cookie;
  private final Audit audit;
  private final Duration lifetime;
  private final boolean hasProvider;
  private final SecurityContextLogoutHandler logout = new SecurityContextLogoutHandler();

  SessionController(
      Tokens tokens,
      Users users,
      Passwords passwords,
      LoginDelay delay,
      LoginCookie cookie,
      Audit audit,
      SecurityProperties properties,
      ObjectProvider<OidcLogin> provider) {
    this.tokens = tokens;
    this.users = users;
    this.passwords = passwords;
    this.delay = delay;
    this.cookie = cookie;
    this.audit = audit;
    this.lifetime = properties.sessionLifetime();
    this.hasProvider = provider.getIfAvailable() != null;
    logout.setInvalidateHttpSession(false); // the application may keep something in it
    logout.setSecurityContextRepository(new ProviderSessions());
  }

  /**
   * @param mustChange whether the user must change the password before anything else
   * @param provider whether the OpenID provider identified the user, who has no password here
   * @param passwordRule what to use as a new password; a sentence for the page
   * @param notice what the page tells the user; missing if nothing
   */
  record Me(
      String name,
      String role,
      boolean mustChange,
      boolean provider,
      String passwordRule,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String notice) {}

  record Offer(boolean login) {}

  /** Whether users can log in with the OpenID provider. */
  @GetMapping("/oidc")
  Offer offer() {
    return new Offer(hasProvider);
  }

  @GetMapping("/me")
  Me me() {
    return me(CallerAuthentication.current().orElseThrow());
  }

  Me me(CallerAuthentication caller) {
    String role = caller.actor("").role();
    return new Me(
        caller.getName(),
        role,
        caller.account().filter(it -> it.user().mustChange()).isPresent(),
        caller.kind() == Actor.Kind.OIDC,
        PASSWORD_RULE,
        role.equals(StoredToken.ADMIN) ? endingTokens() : null);
  }

  private @Nullable String endingTokens() {
    String names =
        tokens.endingSoon().stream()
            .map(it -> it.name() + " on " + it.expiresAt().atOffset(ZoneOffset.UTC).toLocalDate())
            .collect(Collectors.joining(", "));
    return names.isEmpty()
        ? null
        : "Tokens end soon: %s. Create others and move their callers.".formatted(names);
  }

  /** Ends all logins of a user with a password, and this one of a user of the OpenID provider. */
  @PostMapping("/logout")
  ResponseEntity<Void> logout(HttpServletRequest request, HttpServletResponse response) {
    CallerAuthentication caller = CallerAuthentication.current().orElseThrow();
    if (caller.kind() != Actor.Kind.TOKEN && !hasToken(request)) {
      audit.perform(
          Audit.Entry.allowed(RefusalFilter.actor(request), "session.logout", caller.getName(), ""),
          () -> {
            caller.account().ifPresent(it -> users.logOut(it.getUsername()));
            caller.end();
            cookie.logout(request, response, caller);
            logout.logout(request, response, caller);
            return caller;
          });
    }
    return ResponseEntity.noContent().build();
  }

  /** A proxy may send a header of its own, with another scheme. */
  private static boolean hasToken(HttpServletRequest request) {
    String header = request.getHeader(HttpHeaders.AUTHORIZATION);
    return header != null && header.regionMatches(true, 0, "Bearer ", 0, "Bearer ".length());
  }

  @PostMapping(path = "/password", consumes = "application/json")
  ResponseEntity<Void> password(
      @RequestBody JsonNode body, HttpServletRequest request, HttpServletResponse response) {
    Actor actor = RefusalFilter.actor(request);
    Optional<Account> account =
        CallerAuthentication.current().flatMap(CallerAuthentication::account);
    if (account.isEmpty()) {
      throw refused(
          actor.kind() == Actor.Kind.OIDC
              ? "The OpenID provider has your password."
              : "A token has no password; log in to change yours.");
    }
    StoredUser user = account.get().user();
    String old = text(body, "old");
    String wanted = text(body, "new");
    if (!FirstAccess.isPassword(wanted)
        || wanted.equals(old)
        || wanted.equalsIgnoreCase(user.name())) {
      throw refused("The new password is not accepted. " + PASSWORD_RULE);
    }
    delay.attempt(
        request.getRemoteAddr(),
        user.name(),
        () -> {
          if (!passwords.matches(old, user.password())) {
            RefusalFilter.noteRefusal(request, HttpStatus.BAD_REQUEST);
            throw refused("The current password is wrong.");
          }
          return user;
        });
    Audit.Entry entry =
        Audit.Entry.allowed(actor, "user.password", user.name(), "")
            .changing(Audit.Change.of("password", "the current one", "a new one"));
    Account changed =
        audit.perform(
            entry,
            () ->
                users
                    .changePassword(user, passwords.encode(wanted))
                    .map(it -> Account.ofPassword(it, Instant.now().plus(lifetime)))
                    .orElseThrow(() ->
                        Problem.conflict(
                            "The password has been changed meanwhile; log in again.")));
    cookie.loginSuccess(request, response, changed.login(users));
    return ResponseEntity.noContent().build();
  }

  private static String text(JsonNode body, String field) {
    String text = body.path(field).stringValue("");
    if (!WholeText.is(text)) {
      throw Problem.invalidField("/" + field, "must be " + WholeText.EXPECTED);
    }
    return text;
  }

  private static Problem refused(String detail) {
    return new Problem(ProblemType.INVALID_PASSWORD, detail);
  }
}
