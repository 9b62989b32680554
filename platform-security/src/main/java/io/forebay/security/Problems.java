/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.TooManyLogins;
import io.forebay.access.oidc.NoRights;
import io.forebay.access.oidc.ProviderAway;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.csrf.CsrfException;

/** Answers of the filter chains, as problem documents (RFC 9457) like those of the HTTP door. */
final class Problems implements AuthenticationEntryPoint, AccessDeniedHandler {

  private static final Duration RETRY = Duration.ofSeconds(5);
  private static final String TOKEN =
      "a token that an administrator made, in the header Authorization: Bearer fb_…";

  /** Refuses a request without valid credentials, or a login. */
  @Override
  public void commence(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException refusal)
      throws IOException {
    if (refusal instanceof NoRights known) {
      RefusalFilter.noteActor(
          request, new CallerAuthentication(known.caller()).actor(RefusalFilter.address(request)));
    }
    Problem problem = problem(refusal);
    if (problem.type() == ProblemType.UNAUTHENTICATED) {
      response.setHeader(
          HttpHeaders.WWW_AUTHENTICATE,
          refusal instanceof OAuth2AuthenticationException
              ? "Bearer error=\"invalid_token\""
              : "Bearer");
    }
    if (refusal instanceof TooManyLogins) {
      RefusalFilter.noteRefusal(request, HttpStatus.TOO_MANY_REQUESTS);
    }
    problem.write(response, request.getRequestURI());
  }

  private static Problem problem(AuthenticationException refusal) {
    return switch (refusal) {
      case TooManyLogins wait ->
          new Problem(ProblemType.TOO_MANY_FAILURES, wait.getMessage() + "; retry later.")
              .retryAfter(wait.retryAfter());
      case NoRights known ->
          new Problem(ProblemType.NOT_PERMITTED, String.valueOf(known.getMessage()));
      case ProviderAway _ ->
          new Problem(
                  ProblemType.UNAVAILABLE,
                  "The JWT cannot be checked now: its key is not known, and the OpenID provider does"
                      + " not respond or was just asked; retry later, or use a token of Forebay")
              .retryAfter(RETRY);
      case OutdatedTokens _ ->
          new Problem(
                  ProblemType.UNAVAILABLE,
                  "The tokens were read too long ago, and the system database does not respond;"
                      + " retry later")
              .retryAfter(RETRY);
      case OAuth2AuthenticationException wrong ->
          new Problem(ProblemType.UNAUTHENTICATED, detail(wrong));
      case BadCredentialsException _ ->
          new Problem(ProblemType.UNAUTHENTICATED, "Wrong user name or password.");
      case AuthenticationServiceException _ ->
          new Problem(
                  ProblemType.DATABASE_UNAVAILABLE,
                  "The system database is unavailable, and nobody can log in without it; retry"
                      + " later, or use a token")
              .retryAfter(RETRY);
      default -> new Problem(ProblemType.UNAUTHENTICATED, "Send " + TOKEN);
    };
  }

  /** Spring says what is wrong with a JWT, with nothing of it. */
  private static String detail(OAuth2AuthenticationException wrong) {
    String why = String.valueOf(wrong.getMessage());
    int last = why.lastIndexOf(": ");
    return why.contains("Jwt") || why.contains("JWT")
        ? "The JWT is refused: %s; send a valid one of the OpenID provider"
            .formatted(why.substring(last < 0 ? 0 : last + 2))
        : "The token is unknown; send " + TOKEN;
  }

  @Override
  public void handle(
      HttpServletRequest request, HttpServletResponse response, AccessDeniedException refusal)
      throws IOException {
    Problem problem =
        refusal instanceof CsrfException
            ? new Problem(
                ProblemType.NOT_FROM_THE_PAGE,
                "Send a token; or from the page also the value of the cookie XSRF-TOKEN in the"
                    + " header X-XSRF-TOKEN")
            : mustChangePassword()
                ? new Problem(
                    ProblemType.PASSWORD_MUST_CHANGE,
                    "An administrator set this password; change it first")
                : denied();
    problem.write(response, request.getRequestURI());
  }

  private static boolean mustChangePassword() {
    return CallerAuthentication.current()
        .flatMap(CallerAuthentication::account)
        .filter(it -> it.user().mustChange())
        .isPresent();
  }

  static Problem denied() {
    return new Problem(
        ProblemType.NOT_PERMITTED, "Permission denied, or the path or method does not exist");
  }

  /** The tokens in memory are too old to be used. */
  static final class OutdatedTokens extends AuthenticationException {

    private static final long serialVersionUID = 1;

    OutdatedTokens() {
      super("the tokens were read too long ago");
    }
  }
}
