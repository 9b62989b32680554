/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.LoginDelay;
import io.forebay.access.Passwords;
import io.forebay.access.Refused;
import io.forebay.access.Users;
import io.forebay.access.oidc.OidcLogin;
import io.forebay.operations.Audit;
import io.forebay.service.progress.Unavailable;
import io.forebay.text.OneLine;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.client.web.OAuth2LoginAuthenticationFilter;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.security.web.authentication.rememberme.RememberMeAuthenticationFilter;
import org.springframework.security.web.context.DelegatingSecurityContextRepository;
import org.springframework.security.web.context.RequestAttributeSecurityContextRepository;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.security.web.csrf.CsrfTokenRequestAttributeHandler;
import org.springframework.web.filter.RequestContextFilter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Logins to the admin page: with a password, which makes a {@link LoginCookie}, or with the OpenID
 * provider, which begins a session of this instance.
 */
final class PageLogin {

  private static final Logger log = LoggerFactory.getLogger(PageLogin.class);
  private static final int LONGEST_REASON = 500;
  private static final Duration LINES_EVERY = Duration.ofMinutes(1);

  private final SessionController controller;
  private final Users users;
  private final PasswordLogin passwords;
  private final LoginDelay delay;
  private final LoginCookie cookie;
  private final Audit audit;
  private final Duration lifetime;
  private final @Nullable OidcLogin provider;
  private final Problems problems = new Problems();
  private final RequestAttributeSecurityContextRepository requests =
      new RequestAttributeSecurityContextRepository();
  private final ProviderSessions sessions = new ProviderSessions();
  private final AtomicReference<Instant> nextLine = new AtomicReference<>(Instant.MIN);

  PageLogin(
      SessionController controller,
      Users users,
      Passwords passwords,
      LoginDelay delay,
      LoginCookie cookie,
      Audit audit,
      SecurityProperties properties,
      ObjectProvider<OidcLogin> provider) {
    this.controller = controller;
    this.users = users;
    this.passwords =
        new PasswordLogin(users, passwords, delay, audit, properties.sessionLifetime());
    this.delay = delay;
    this.cookie = cookie;
    this.audit = audit;
    this.lifetime = properties.sessionLifetime();
    this.provider = provider.getIfAvailable();
  }

  HttpSecurity configure(HttpSecurity http) {
    CookieCsrfTokenRepository csrf = CookieCsrfTokenRepository.withHttpOnlyFalse();
    csrf.setCookieName("forebay-xsrf"); // the application may have one of Spring's name
    csrf.setCookieCustomizer(it -> it.sameSite("Strict"));
    RememberMeAuthenticationFilter remembered =
        new RememberMeAuthenticationFilter(caller -> caller, cookie);
    remembered.setSecurityContextRepository(requests);
    http.csrf(it -> it.spa().csrfTokenRepository(csrf).csrfTokenRequestHandler(new OfHeader()))
        .securityContext(it ->
            it.securityContextRepository(
                new DelegatingSecurityContextRepository(requests, sessions)))
        .authenticationProvider(passwords)
        .formLogin(login ->
            login
                .loginPage("/admin/")
                .loginProcessingUrl(OwnPaths.PAGE + "/login")
                .usernameParameter("user")
                .securityContextRepository(requests)
                .successHandler(this::loggedIn)
                .failureHandler(this::refused))
        .addFilterBefore(remembered, AnonymousAuthenticationFilter.class);
    if (provider != null) {
      // the delay needs the address, and an application may have no such filter of its own
      http.addFilterBefore(new RequestContextFilter(), OAuth2LoginAuthenticationFilter.class);
      http.oauth2Login(login -> {
        provider.configure(login, this::refusedByProvider, delay);
        login.securityContextRepository(requests).successHandler(this::loggedInWithProvider);
      });
    }
    return http;
  }

  /**
   * Takes the token from the header only: a page of another port or of a sibling host can set the
   * cookie and send a form, but no header.
   */
  private static final class OfHeader extends CsrfTokenRequestAttributeHandler {

    OfHeader() {
      setCsrfRequestAttributeName(null); // each answer sets the cookie
    }

    @Override
    public @Nullable String resolveCsrfTokenValue(HttpServletRequest request, CsrfToken token) {
      return request.getHeader(token.getHeaderName());
    }
  }

  private void loggedIn(
      HttpServletRequest request, HttpServletResponse response, Authentication login)
      throws IOException {
    sessions.saveContext(SecurityContextHolder.createEmptyContext(), request, response);
    cookie.loginSuccess(request, response, login);
    response.setContentType(MediaType.APPLICATION_JSON_VALUE);
    JsonMapper.shared()
        .writeValue(response.getOutputStream(), controller.me((CallerAuthentication) login));
  }

  /** The audit names users who exist; another text may be a password. */
  private void refused(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException refusal)
      throws IOException {
    users
        .known(Objects.requireNonNullElse(request.getParameter("user"), "").trim())
        .ifPresent(user -> RefusalFilter.noteUser(request, user.name()));
    problems.commence(request, response, refusal);
  }

  private void loggedInWithProvider(
      HttpServletRequest request, HttpServletResponse response, Authentication login) {
    try {
      OidcUser user = (OidcUser) Objects.requireNonNull(login.getPrincipal());
      CallerAuthentication caller =
          new CallerAuthentication(Objects.requireNonNull(provider).caller(user, lifetime));
      audit.record(
          Audit.Entry.allowed(
              caller.actor(RefusalFilter.address(request)),
              "session.login",
              caller.getName(),
              "with the OpenID provider"));
      cookie.logout(request, response, caller);
      SecurityContext context = SecurityContextHolder.createEmptyContext();
      context.setAuthentication(caller);
      SecurityContextHolder.setContext(context);
      sessions.saveContext(context, request, response);
      redirect("", request, response);
    } catch (AuthenticationException e) {
      SecurityContextHolder.clearContext();
      refusedByProvider(request, response, e);
    } catch (Unavailable e) {
      SecurityContextHolder.clearContext();
      redirect("system_away", HttpStatus.SERVICE_UNAVAILABLE, request, response);
    }
  }

  /** A browser that comes back gets the page, which has a sentence for each reason. */
  private void refusedByProvider(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException refusal) {
    logReason(refusal);
    if (refusal instanceof Refused known && known.caller() != null) {
      RefusalFilter.noteUser(request, known.caller().caller().name());
      redirect("no_rights", HttpStatus.FORBIDDEN, request, response);
    } else if (isAway(refusal)) {
      redirect("provider_away", HttpStatus.SERVICE_UNAVAILABLE, request, response);
    } else if (refusal instanceof OAuth2AuthenticationException wrong
        && wrong.getError().getErrorCode().equals("authorization_request_not_found")) {
      redirect("not_begun", HttpStatus.UNAUTHORIZED, request, response);
    } else {
      redirect("not_confirmed", HttpStatus.UNAUTHORIZED, request, response);
    }
  }

  /** Logs one in a minute, because anybody can send logins that are refused. */
  private void logReason(AuthenticationException refusal) {
    Instant now = Instant.now();
    Instant next = nextLine.get();
    if (!now.isBefore(next) && nextLine.compareAndSet(next, now.plus(LINES_EVERY))) {
      log.info(
          "A login with the OpenID provider was refused: {}",
          OneLine.of(String.valueOf(refusal.getMessage()), LONGEST_REASON));
    }
  }

  private static boolean isAway(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof IOException
          || each instanceof Refused refused
              && refused.problem().type() == ProblemType.UNAVAILABLE) {
        return true;
      }
    }
    return false;
  }

  private static void redirect(
      String why, HttpStatus status, HttpServletRequest request, HttpServletResponse response) {
    RefusalFilter.noteRefusal(request, status);
    redirect("?login=" + why, request, response);
  }

  /** Without host and port, which a caller may choose. */
  private static void redirect(
      String query, HttpServletRequest request, HttpServletResponse response) {
    response.setStatus(HttpServletResponse.SC_FOUND);
    response.setHeader(HttpHeaders.LOCATION, request.getContextPath() + "/admin/" + query);
  }
}
