/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.TooManyLogins;
import io.forebay.access.oidc.NoRights;
import io.forebay.access.oidc.ProviderAway;
import io.forebay.admin.ApiProblems;
import io.forebay.operations.Audit;
import io.forebay.problem.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.json.ProblemDetailJacksonMixin;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.csrf.CsrfException;
import org.springframework.web.server.ResponseStatusException;
import tools.jackson.databind.json.JsonMapper;

/** Answers of the filter chains, as problem documents (RFC 9457) like those of the HTTP door. */
final class Problems implements AuthenticationEntryPoint, AccessDeniedHandler {

  private static final String RETRY_SECONDS = "5";
  private static final String TOKEN =
      "a token that an administrator made, in the header Authorization: Bearer fb_…";

  /** Not the mapper of the application, whose settings may change the form of a document. */
  private static final JsonMapper JSON =
      JsonMapper.builder().addMixIn(ProblemDetail.class, ProblemDetailJacksonMixin.class).build();

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

  /** Refuses a request without valid credentials, or a login. */
  @Override
  public void commence(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException refusal)
      throws IOException {
    if (refusal instanceof NoRights known) {
      RefusalFilter.noteActor(
          request, new CallerAuthentication(known.caller()).actor(RefusalFilter.address(request)));
    }
    ProblemDetail problem = problem(refusal);
    switch (problem.getStatus()) {
      case HttpServletResponse.SC_UNAUTHORIZED ->
          response.setHeader(
              HttpHeaders.WWW_AUTHENTICATE,
              refusal instanceof OAuth2AuthenticationException
                  ? "Bearer error=\"invalid_token\""
                  : "Bearer");
      case HttpServletResponse.SC_SERVICE_UNAVAILABLE ->
          response.setHeader(HttpHeaders.RETRY_AFTER, RETRY_SECONDS);
      default -> {}
    }
    if (refusal instanceof TooManyLogins wait) {
      RefusalFilter.noteRefusal(request, HttpStatus.TOO_MANY_REQUESTS);
      response.setHeader(HttpHeaders.RETRY_AFTER, Long.toString(wait.retryAfter().toSeconds() + 1));
    }
    write(response, problem.getStatus(), problem);
  }

  private static ProblemDetail problem(AuthenticationException refusal) {
    return switch (refusal) {
      case TooManyLogins wait ->
          ApiProblems.problem(ProblemType.TOO_MANY_FAILURES, wait.getMessage() + "; retry later.");
      case NoRights known ->
          ApiProblems.problem(ProblemType.NOT_PERMITTED, String.valueOf(known.getMessage()));
      case ProviderAway _ ->
          ApiProblems.problem(
              ProblemType.UNAVAILABLE,
              "The JWT cannot be checked now: its key is not known, and the OpenID provider does"
                  + " not respond or was just asked; retry later, or use a token of Forebay");
      case OutdatedTokens _ ->
          ApiProblems.problem(
              ProblemType.UNAVAILABLE,
              "The tokens were read too long ago, and the system database does not respond; retry"
                  + " later");
      case OAuth2AuthenticationException wrong ->
          ApiProblems.problem(ProblemType.UNAUTHENTICATED, detail(wrong));
      case BadCredentialsException _ ->
          ApiProblems.problem(ProblemType.UNAUTHENTICATED, "Wrong user name or password.");
      case AuthenticationServiceException _ ->
          ApiProblems.problem(
              ProblemType.DATABASE_UNAVAILABLE,
              "The system database is unavailable, and nobody can log in without it; retry later,"
                  + " or use a token");
      default -> ApiProblems.problem(ProblemType.UNAUTHENTICATED, "Send " + TOKEN);
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
    if (refusal instanceof CsrfException) {
      deny(
          response,
          ProblemType.NOT_FROM_THE_PAGE,
          "Send a token; or from the page also the value of the cookie XSRF-TOKEN in the header"
              + " X-XSRF-TOKEN");
    } else if (CallerAuthentication.current()
        .flatMap(CallerAuthentication::account)
        .filter(it -> it.user().mustChange())
        .isPresent()) {
      deny(
          response,
          ProblemType.PASSWORD_MUST_CHANGE,
          "An administrator set this password; change it first");
    } else {
      deny(response);
    }
  }

  void deny(HttpServletResponse response) throws IOException {
    deny(
        response,
        ProblemType.NOT_PERMITTED,
        "Permission denied, or the path or method does not exist");
  }

  private static void deny(HttpServletResponse response, ProblemType type, String detail)
      throws IOException {
    ProblemDetail problem = ApiProblems.problem(type, detail);
    write(response, problem.getStatus(), problem);
  }

  /** Answers with a document. */
  static void write(HttpServletResponse response, int status, Object document) throws IOException {
    byte[] body = JSON.writeValueAsBytes(document);
    response.setStatus(status);
    response.setContentType(
        document instanceof ProblemDetail
            ? MediaType.APPLICATION_PROBLEM_JSON_VALUE
            : MediaType.APPLICATION_JSON_VALUE);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  /** The tokens in memory are too old to be used. */
  static final class OutdatedTokens extends AuthenticationException {

    private static final long serialVersionUID = 1;

    OutdatedTokens() {
      super("the tokens were read too long ago");
    }
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
