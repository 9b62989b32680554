/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.limits.BackOff;
import io.forebay.access.oidc.JwtCheck;
import io.forebay.admin.ApiProblems;
import io.forebay.operations.Audit;
import io.forebay.problem.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.json.ProblemDetailJacksonMixin;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.web.server.ResponseStatusException;
import tools.jackson.databind.json.JsonMapper;

/** Answers of the security chain, as problem documents (RFC 9457) like those of the HTTP door. */
final class Problems implements AuthenticationEntryPoint, AccessDeniedHandler {

  static final int TOO_MANY_REQUESTS = 429;

  private static final String RETRY_SECONDS = "5";

  /** Not the mapper of the application, whose settings may change the form of a document. */
  private static final JsonMapper JSON =
      JsonMapper.builder().addMixIn(ProblemDetail.class, ProblemDetailJacksonMixin.class).build();

  private final BackOff backOff;

  Problems(BackOff backOff) {
    this.backOff = backOff;
  }

  /** Names no database, address or driver; those are in the log. */
  static ProblemDetail systemDatabaseAway() {
    return ApiProblems.problem(
        ProblemType.DATABASE_UNAVAILABLE,
        "The system database is unavailable, and no change is made without an audit entry;"
            + " retry later");
  }

  /** The same for a request that only reads. */
  static ProblemDetail notReadNow() {
    return ApiProblems.problem(
        ProblemType.DATABASE_UNAVAILABLE,
        "The system database is not responding, so this cannot be read; retry later. Services and"
            + " their figures do not need it");
  }

  @Override
  public void commence(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException refusal)
      throws IOException {
    unauthenticated(request, response);
  }

  void unauthenticated(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    switch (BearerFilter.refusedJwt(request)) {
      case JwtCheck.WithoutRights jwt -> withoutRights(jwt, response);
      case JwtCheck.Unchecked _ -> providerUnavailable(response);
      case JwtCheck.Wrong jwt ->
          unauthenticated(
              "The JWT is refused: %s; send a valid one of the OpenID provider"
                  .formatted(jwt.why()),
              request,
              response);
      case JwtCheck.Accepted _ -> throw new IllegalStateException("the JWT was accepted");
      case null ->
          unauthenticated(
              (BearerFilter.presentedAWrongToken(request) ? "The token is unknown; send" : "Send")
                  + " a token that an administrator made, in the header Authorization: Bearer fb_…",
              request,
              response);
    }
  }

  private void withoutRights(JwtCheck.WithoutRights jwt, HttpServletResponse response)
      throws IOException {
    write(
        response,
        ApiProblems.problem(
            ProblemType.NOT_PERMITTED,
            ("You are identified, but no group in your claim %s has a role or statements here; an"
                    + " administrator can give it some (forebay.security.oidc.roles, .statements)")
                .formatted(jwt.claim())));
  }

  private void providerUnavailable(HttpServletResponse response) throws IOException {
    response.setHeader("Retry-After", RETRY_SECONDS);
    write(
        response,
        ApiProblems.problem(
            ProblemType.UNAVAILABLE,
            "The JWT cannot be checked now: its key is not known, and the OpenID provider does not"
                + " respond or was just asked; retry later, or use a token of Forebay"));
  }

  private void unauthenticated(
      String detail, HttpServletRequest request, HttpServletResponse response) throws IOException {
    boolean wrong = BearerFilter.presentedAWrongToken(request);
    Duration pause = wrong ? backOff.failed(request.getRemoteAddr()) : Duration.ZERO;
    if (!pause.isZero()) {
      response.setHeader("Retry-After", Long.toString(pause.toSeconds() + 1));
      write(
          response,
          ApiProblems.problem(
              ProblemType.TOO_MANY_FAILURES,
              "Too many wrong tokens came from this address; retry later, or send a valid token"));
      return;
    }
    response.setHeader("WWW-Authenticate", wrong ? "Bearer error=\"invalid_token\"" : "Bearer");
    write(response, ApiProblems.problem(ProblemType.UNAUTHENTICATED, detail));
  }

  @Override
  public void handle(
      HttpServletRequest request, HttpServletResponse response, AccessDeniedException refusal)
      throws IOException {
    denied(response);
  }

  void denied(HttpServletResponse response) throws IOException {
    write(
        response,
        ApiProblems.problem(
            ProblemType.NOT_PERMITTED, "Permission denied, or the path or method does not exist"));
  }

  void notFromThePage(HttpServletResponse response) throws IOException {
    write(
        response,
        ApiProblems.problem(
            ProblemType.NOT_FROM_THE_PAGE,
            "With a session, also send the value of the cookie XSRF-TOKEN in the header X-XSRF-TOKEN"));
  }

  void passwordMustChange(HttpServletResponse response) throws IOException {
    write(
        response,
        ApiProblems.problem(
            ProblemType.PASSWORD_MUST_CHANGE,
            "An administrator set this password; change it first"));
  }

  void write(HttpServletResponse response, ProblemDetail problem) throws IOException {
    byte[] body = JSON.writeValueAsBytes(problem);
    response.setStatus(problem.getStatus());
    response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  /** A command that the state does not allow; nothing was changed. */
  static final class Declined extends ResponseStatusException implements Audit.Refusal {

    private static final long serialVersionUID = 1;

    private final String detail;

    /**
     * @param detail a sentence for the caller and for the audit
     */
    Declined(HttpStatus status, String detail) {
      super(status, detail);
      this.detail = detail;
    }

    /** Without the status. */
    @Override
    public String getMessage() {
      return detail;
    }
  }
}
