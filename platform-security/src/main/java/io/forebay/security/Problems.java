/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.Refused;
import io.forebay.web.Problem;
import io.forebay.web.ProblemResolver;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
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

  static final Duration RETRY = Duration.ofSeconds(5);
  private static final String TOKEN =
      "a token that an administrator made, in the header Authorization: Bearer fb_…";

  /** Refuses a request without valid credentials, or a login. */
  @Override
  public void commence(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException refusal)
      throws IOException {
    if (refusal instanceof Refused known && known.caller() != null) {
      RefusalFilter.noteActor(
          request, new CallerAuthentication(known.caller()).actor(RefusalFilter.address(request)));
    }
    Problem problem = problem(refusal);
    if (problem.type() == ProblemType.UNAUTHENTICATED) {
      boolean isBearer =
          refusal instanceof Refused || refusal instanceof OAuth2AuthenticationException;
      response.setHeader(
          HttpHeaders.WWW_AUTHENTICATE, isBearer ? "Bearer error=\"invalid_token\"" : "Bearer");
    }
    ProblemResolver.answer(problem, request, response);
  }

  private static Problem problem(AuthenticationException refusal) {
    return switch (refusal) {
      case Refused known -> known.problem();
      case OAuth2AuthenticationException wrong ->
          isOfJwt(wrong) ? refusedJwt(wrong) : unknownToken();
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

  private static boolean isOfJwt(OAuth2AuthenticationException wrong) {
    String why = String.valueOf(wrong.getMessage());
    return why.contains("Jwt") || why.contains("JWT");
  }

  /** Spring says what is wrong with a JWT, with nothing of it. */
  private static Problem refusedJwt(OAuth2AuthenticationException wrong) {
    String why = String.valueOf(wrong.getMessage());
    return new Problem(
        ProblemType.UNAUTHENTICATED,
        "The JWT is refused: %s; send a valid one of the OpenID provider"
            .formatted(why.substring(why.lastIndexOf(": ") + 1).strip()));
  }

  /** For the owner of the token only. */
  static Problem endedToken() {
    return new Problem(ProblemType.UNAUTHENTICATED, "The token has ended; send " + TOKEN);
  }

  static Problem unknownToken() {
    return new Problem(ProblemType.UNAUTHENTICATED, "The token is unknown; send " + TOKEN);
  }

  @Override
  public void handle(
      HttpServletRequest request, HttpServletResponse response, AccessDeniedException refusal)
      throws IOException {
    Problem problem =
        refusal instanceof CsrfException
            ? new Problem(
                ProblemType.NOT_FROM_THE_PAGE,
                "Send a token; or from the page also the value of the cookie forebay-xsrf in the"
                    + " header X-XSRF-TOKEN")
            : mustChangePassword()
                ? new Problem(
                    ProblemType.PASSWORD_MUST_CHANGE,
                    "An administrator set this password; change it first")
                : denied();
    ProblemResolver.answer(problem, request, response);
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
}
