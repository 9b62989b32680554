/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import static org.springframework.http.HttpMethod.DELETE;
import static org.springframework.http.HttpMethod.GET;
import static org.springframework.http.HttpMethod.POST;
import static org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher.pathPattern;

import io.forebay.access.oidc.OidcLogin;
import io.forebay.admin.AdminAccess;
import io.forebay.admin.AdminAccess.Rule;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.security.authorization.AuthorityAuthorizationManager;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AuthorizeHttpRequestsConfigurer;
import org.springframework.security.web.util.matcher.AndRequestMatcher;
import org.springframework.security.web.util.matcher.OrRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;

/**
 * The paths of Forebay's endpoints and of its page, and who may request them. All other paths below
 * {@code /admin} and {@code /api/v1} are left to the application.
 */
final class OwnPaths {

  /** Where sessions count. */
  static final String PAGE = "/admin/api/v1";

  private static final String API = "/api/v1/";
  private static final String STATEMENT = API + "statements/*";
  private static final String ADMIN = "ADMIN";
  private static final String ANYBODY = "anybody";

  /** Any caller who is identified. */
  private static final String CALLER = "caller";

  private static final List<Rule> RULES =
      Stream.concat(
              Stream.of(
                  new Rule(POST, ANYBODY, PAGE + "/login"),
                  new Rule(GET, ANYBODY, PAGE + "/oidc", OidcLogin.BEGIN, OidcLogin.CALLBACK),
                  // The files of the page are those of the jar.
                  new Rule(
                      GET, ANYBODY, "/admin", "/admin/", AdminAccess.FILES, AdminAccess.SCREENS),
                  // The grants of the token decide which statements and services, and whose
                  // results.
                  new Rule(GET, CALLER, API + "statements", API + "openapi.json"),
                  new Rule(GET, CALLER, API + "results", API + "results/*", API + "streams/*"),
                  new Rule(POST, CALLER, API + "statements", STATEMENT),
                  new Rule(POST, CALLER, API + "chunks/*"),
                  new Rule(POST, ADMIN, API + "catalogue/reload", API + "tokens"),
                  new Rule(GET, ADMIN, API + "tokens", PAGE + "/tokens", PAGE + "/users"),
                  new Rule(POST, ADMIN, PAGE + "/users", PAGE + "/tokens"),
                  new Rule(DELETE, ADMIN, API + "tokens/*", PAGE + "/tokens/*", PAGE + "/users/*"),
                  new Rule(GET, "OPERATOR", API + "audit", PAGE + "/audit"),
                  new Rule(GET, CALLER, PAGE + "/me"),
                  new Rule(POST, CALLER, PAGE + "/logout", PAGE + "/password")),
              AdminAccess.RULES.stream())
          .toList();

  /** Whether the rule of requests with one statement covers the request. */
  static final RequestMatcher ONE_STATEMENT = pathPattern(POST, STATEMENT);

  /** Whether the path is one of Forebay, whatever the method. */
  static final RequestMatcher MATCHER =
      new AndRequestMatcher(
          // most requests to other paths of an application need no look at the patterns
          new OrRequestMatcher(pathPattern("/admin/**"), pathPattern(API + "**")),
          new OrRequestMatcher(
              RULES.stream()
                  .flatMap(rule -> Arrays.stream(rule.patterns()))
                  .distinct()
                  .<RequestMatcher>map(pattern -> pathPattern(pattern))
                  .toList()));

  /** Whether the path is one of the admin page's endpoints. */
  static final RequestMatcher OF_PAGE = new AndRequestMatcher(pathPattern(PAGE + "/**"), MATCHER);

  private OwnPaths() {}

  /** Denies what no rule allows. */
  static void rules(
      AuthorizeHttpRequestsConfigurer<HttpSecurity>.AuthorizationManagerRequestMatcherRegistry
          paths) {
    for (Rule rule : RULES) {
      var requests = paths.requestMatchers(rule.method(), rule.patterns());
      switch (rule.role()) {
        case ANYBODY -> requests.permitAll();
        case CALLER ->
            requests.access((caller, _) ->
                new AuthorizationDecision(caller.get() instanceof CallerAuthentication));
        // not hasRole, which obeys beans of the application
        default ->
            requests.access(AuthorityAuthorizationManager.hasAuthority("ROLE_" + rule.role()));
      }
    }
    paths.anyRequest().denyAll();
  }
}
