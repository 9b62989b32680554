/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import static org.springframework.http.HttpMethod.DELETE;
import static org.springframework.http.HttpMethod.GET;
import static org.springframework.http.HttpMethod.POST;
import static org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher.pathPattern;

import io.forebay.admin.AdminAccess;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.http.HttpMethod;
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

  private static final String API = "/api/v1/";
  private static final String PAGE = SessionFilter.API;
  private static final String ADMIN = "ADMIN";

  private static final String ANYBODY = "anybody";

  /** Any caller who is identified. */
  private static final String CALLER = "caller";

  /** The rules beside those of the admin API. */
  private static final List<Rule> RULES =
      List.of(
          new Rule(POST, ANYBODY, PAGE + "/login"),
          new Rule(GET, ANYBODY, PAGE + "/oidc", PAGE + "/oidc/login", PAGE + "/oidc/callback"),
          // The files of the page are those of the jar.
          new Rule(GET, ANYBODY, "/admin", "/admin/", AdminAccess.FILES, AdminAccess.SCREENS),
          // The grants of the token decide which statements and services, and whose results.
          new Rule(GET, CALLER, API + "statements", API + "openapi.json"),
          new Rule(GET, CALLER, API + "results", API + "results/*", API + "streams/*"),
          new Rule(POST, CALLER, API + "statements", API + "statements/*", API + "chunks/*"),
          new Rule(POST, ADMIN, API + "catalogue/reload", API + "tokens"),
          new Rule(GET, ADMIN, API + "tokens", PAGE + "/users"),
          new Rule(POST, ADMIN, PAGE + "/users"),
          new Rule(DELETE, ADMIN, API + "tokens/*", PAGE + "/users/*"),
          new Rule(GET, ADMIN, PAGE + "/users/*/sessions"),
          new Rule(DELETE, ADMIN, PAGE + "/users/*/sessions/*"),
          new Rule(GET, ADMIN, PAGE + "/oidc/sessions"),
          new Rule(DELETE, ADMIN, PAGE + "/oidc/sessions/*"),
          new Rule(GET, CALLER, PAGE + "/sessions"),
          new Rule(DELETE, CALLER, PAGE + "/sessions/*"),
          new Rule(GET, "OPERATOR", API + "audit", PAGE + "/audit"),
          new Rule(GET, CALLER, PAGE + "/me"),
          new Rule(POST, CALLER, PAGE + "/logout", PAGE + "/password"));

  private static final List<Rule> ALL =
      Stream.concat(
              RULES.stream(),
              AdminAccess.RULES.stream()
                  .map(rule -> new Rule(rule.method(), rule.role(), rule.patterns())))
          .toList();

  /** Whether the path is one of Forebay, whatever the method. */
  static final RequestMatcher MATCHER =
      new AndRequestMatcher(
          // most requests to other paths of an application need no look at the patterns
          new OrRequestMatcher(pathPattern("/admin/**"), pathPattern(API + "**")),
          new OrRequestMatcher(
              ALL.stream()
                  .flatMap(rule -> rule.patterns().stream())
                  .distinct()
                  .<RequestMatcher>map(pattern -> pathPattern(pattern))
                  .toList()));

  private OwnPaths() {}

  /**
   * @param role the weakest role that may send such requests
   */
  private record Rule(String role, List<String> patterns, List<RequestMatcher> matchers) {

    Rule(HttpMethod method, String role, String... patterns) {
      this(
          role,
          List.of(patterns),
          Arrays.stream(patterns)
              .<RequestMatcher>map(pattern -> pathPattern(method, pattern))
              .toList());
    }

    boolean covers(HttpServletRequest request) {
      return matchers.stream().anyMatch(matcher -> matcher.matches(request));
    }

    boolean admits(Optional<CallerAuthentication> caller) {
      return switch (role) {
        case ANYBODY -> true;
        case CALLER -> caller.isPresent();
        default -> caller.filter(it -> it.hasRole(role)).isPresent();
      };
    }
  }

  /** Whether the caller may send the request, by the same rules as those of the filter chain. */
  static boolean admits(Optional<CallerAuthentication> caller, HttpServletRequest request) {
    Optional<Rule> rule = ALL.stream().filter(it -> it.covers(request)).findFirst();
    return rule.isPresent() && rule.get().admits(caller);
  }

  static void rules(
      AuthorizeHttpRequestsConfigurer<HttpSecurity>.AuthorizationManagerRequestMatcherRegistry
          paths) {
    ALL.forEach(rule -> {
      var requests = paths.requestMatchers(rule.matchers().toArray(RequestMatcher[]::new));
      switch (rule.role()) {
        case ANYBODY -> requests.permitAll();
        case CALLER -> requests.authenticated();
        default -> requests.hasRole(rule.role());
      }
    });
    paths.anyRequest().denyAll();
  }
}
