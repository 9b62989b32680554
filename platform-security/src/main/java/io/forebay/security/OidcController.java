/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.ActiveSession;
import io.forebay.access.LoggedIn;
import io.forebay.access.Logins;
import io.forebay.access.TokenOwner;
import io.forebay.access.limits.BackOff;
import io.forebay.access.oidc.JwtCheck;
import io.forebay.access.oidc.OidcLogin;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.service.progress.Unavailable;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.util.WebUtils;

/**
 * Logs users in with the OpenID provider, and shows their sessions to administrators. Without a
 * provider for logins, a login gets 404.
 */
@RestController
@RequestMapping(SessionFilter.API + "/oidc")
final class OidcController {

  /** The browser comes back from another site, with which it sends no strict cookie. */
  private static final String COOKIE = "forebay-login";

  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** Stands for the user, who is not known before the provider has answered. */
  private static final String PROVIDER = " OpenID provider";

  private final @Nullable OidcLogin provider;
  private final Logins logins;
  private final BackOff backOff;
  private final Audit audit;

  OidcController(ObjectProvider<OidcLogin> provider, Logins logins, BackOff backOff, Audit audit) {
    this.provider = provider.getIfAvailable();
    this.logins = logins;
    this.backOff = backOff;
    this.audit = audit;
  }

  /**
   * Why a login begins no session. The login screen has a sentence for each ({@code login.js}), and
   * gets its name in the query.
   */
  private enum Refused {
    NOT_BEGUN(HttpStatus.UNAUTHORIZED),
    NOT_CONFIRMED(HttpStatus.UNAUTHORIZED),
    NO_RIGHTS(HttpStatus.FORBIDDEN),
    TOO_MANY(HttpStatus.TOO_MANY_REQUESTS),
    PROVIDER_AWAY(HttpStatus.SERVICE_UNAVAILABLE),
    SYSTEM_AWAY(HttpStatus.SERVICE_UNAVAILABLE);

    final HttpStatus status;

    Refused(HttpStatus status) {
      this.status = status;
    }
  }

  record Offer(boolean login) {}

  @GetMapping
  Offer offer() {
    return new Offer(provider != null);
  }

  private OidcLogin provider() {
    if (provider == null) {
      throw new ResponseStatusException(
          HttpStatus.NOT_FOUND, "There is no login with an OpenID provider.");
    }
    return provider;
  }

  @GetMapping("/login")
  void login(HttpServletRequest request, HttpServletResponse response) {
    Optional<OidcLogin.Begun> begun = provider().begin(request);
    if (begun.isEmpty()) {
      refuse(Refused.PROVIDER_AWAY, request, response);
      return;
    }
    response.addHeader(
        HttpHeaders.SET_COOKIE, cookie(request, begun.get().cookie(), LONGEST).toString());
    redirect(response, begun.get().location());
  }

  /** A browser that comes back gets the page, also if the login is refused. */
  @GetMapping("/callback")
  void callback(HttpServletRequest request, HttpServletResponse response) {
    OidcLogin login = provider();
    Cookie cookie = WebUtils.getCookie(request, name(request));
    response.addHeader(HttpHeaders.SET_COOKIE, cookie(request, "", Duration.ZERO).toString());
    Optional<OidcLogin.Pending> pending =
        login.pending(request, cookie == null ? null : cookie.getValue());
    if (pending.isEmpty()) { // not counted: any site can send a browser here
      refuse(Refused.NOT_BEGUN, request, response);
      return;
    }
    // Anybody can make codes up, and each is a request to the provider.
    String address = request.getRemoteAddr();
    if (!backOff.failed(address, PROVIDER).isZero()) {
      refuse(Refused.TOO_MANY, request, response);
      return;
    }
    switch (login.finish(request, pending.get())) {
      case JwtCheck.Accepted accepted -> {
        backOff.succeeded(address, PROVIDER);
        begin(accepted.caller().caller(), request, response);
      }
      case JwtCheck.Unchecked _ -> {
        backOff.undo(address, PROVIDER);
        refuse(Refused.PROVIDER_AWAY, request, response);
      }
      case JwtCheck.WithoutRights known -> {
        BearerFilter.noteUser(request, known.caller().name());
        refuse(Refused.NO_RIGHTS, request, response);
      }
      case JwtCheck.Wrong _ -> refuse(Refused.NOT_CONFIRMED, request, response);
    }
  }

  private static void refuse(
      Refused why, HttpServletRequest request, HttpServletResponse response) {
    BearerFilter.noteRefusal(request, why.status);
    redirect(response, home(request) + "?login=" + why.name().toLowerCase(Locale.ROOT));
  }

  private void begin(TokenOwner user, HttpServletRequest request, HttpServletResponse response) {
    Actor actor =
        new Actor(Actor.Kind.OIDC, user.name(), user.role().text(), request.getRemoteAddr());
    LoggedIn login;
    try {
      login =
          audit.perform(
              Audit.Entry.allowed(actor, "session.login", user.name(), "with the OpenID provider"),
              () -> logins.begin(user, request.getRemoteAddr()));
    } catch (Unavailable e) {
      refuse(Refused.SYSTEM_AWAY, request, response);
      return;
    }
    response.addHeader(
        HttpHeaders.SET_COOKIE, SessionFilter.cookie(request, login.text()).toString());
    response.addHeader(
        HttpHeaders.SET_COOKIE, SessionFilter.csrfCookie(request, login.csrfToken()).toString());
    redirect(response, home(request));
  }

  private static String home(HttpServletRequest request) {
    return request.getContextPath() + "/admin/";
  }

  private static void redirect(HttpServletResponse response, String location) {
    response.setStatus(HttpServletResponse.SC_FOUND);
    response.setHeader(HttpHeaders.LOCATION, location);
  }

  private static String name(HttpServletRequest request) {
    return request.isSecure() ? "__Host-" + COOKIE : COOKIE;
  }

  private static ResponseCookie cookie(HttpServletRequest request, String value, Duration age) {
    return ResponseCookie.from(name(request), value)
        .httpOnly(true)
        .secure(request.isSecure())
        .sameSite("Lax")
        .path(request.isSecure() ? "/" : request.getContextPath() + SessionFilter.API + "/oidc")
        .maxAge(age)
        .build();
  }

  record OfUser(String user, List<SessionsController.View> sessions) {}

  record Listed(List<OfUser> users) {}

  /** The sessions of all users whom the provider identified. */
  @GetMapping("/sessions")
  Listed sessions(HttpServletRequest request) {
    Optional<LoggedIn> own = SessionFilter.loggedIn(request);
    return new Listed(
        logins.sessionsOfProvider().entrySet().stream()
            .map(it -> new OfUser(it.getKey(), SessionsController.View.of(it.getValue(), own)))
            .toList());
  }

  @DeleteMapping("/sessions/{id}")
  ResponseEntity<Void> end(@PathVariable String id, Actor actor) {
    String user =
        logins.sessionsOfProvider().entrySet().stream()
            .filter(it -> it.getValue().stream().map(ActiveSession::id).anyMatch(id::equals))
            .map(Map.Entry::getKey)
            .findFirst()
            .orElseThrow(SessionsController::unknown);
    return audit.perform(
        Audit.Entry.allowed(actor, "user.end-session", user, "session " + id),
        () -> {
          if (!logins.end(user, id)) {
            throw SessionsController.unknown();
          }
          return ResponseEntity.noContent().build();
        });
  }
}
