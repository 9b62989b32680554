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
import org.springframework.security.web.util.matcher.OrRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;

/**
 * The paths of Forebay, and who may request them: everything below {@code /admin}, and the folders
 * below {@code /api/v1} that have an endpoint of Forebay. An application may use other folders
 * there.
 */
final class OwnPaths {

  private static final String API = "/api/v1/";
  private static final String PAGE = SessionFilter.API;
  private static final String ADMIN = "ADMIN";

  /** Any caller who is identified. */
  private static final String CALLER = "";

  /** The rules beside those of the admin API. */
  private static final List<Rule> RULES =
      List.of(
          // The grants of the token decide which statements and services, and whose results.
          new Rule(GET, CALLER, API + "statements", API + "openapi.json"),
          new Rule(GET, CALLER, API + "results", API + "results/*", API + "streams/*"),
          new Rule(DELETE, CALLER, API + "results/*", API + "streams/*"),
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
          new Rule(GET, "OPERATOR", API + "audit/check", PAGE + "/audit/check"),
          new Rule(GET, "OPERATOR", API + "audit/export", PAGE + "/audit/export"),
          new Rule(GET, CALLER, PAGE + "/me"),
          new Rule(POST, CALLER, PAGE + "/logout", PAGE + "/password"));

  private static final List<Rule> ALL =
      Stream.concat(
              RULES.stream(),
              AdminAccess.RULES.stream()
                  .map(rule -> new Rule(rule.method(), rule.role(), rule.patterns())))
          .toList();

  private static final RequestMatcher LOGIN =
      new OrRequestMatcher(
          pathPattern(POST, PAGE + "/login"),
          pathPattern(GET, PAGE + "/oidc"),
          pathPattern(GET, PAGE + "/oidc/login"),
          pathPattern(GET, PAGE + "/oidc/callback"));
  private static final RequestMatcher API_OF_PAGE = pathPattern("/admin/api/**");

  /** The page's files contain nothing secret, only what is in the jar. */
  private static final RequestMatcher FILES =
      new OrRequestMatcher(pathPattern(GET, "/admin"), pathPattern(GET, "/admin/**"));

  static final RequestMatcher MATCHER =
      new OrRequestMatcher(
          Stream.concat(
                  Stream.of("/admin", "/admin/**"),
                  ALL.stream()
                      .flatMap(rule -> rule.patterns().stream())
                      .filter(pattern -> pattern.startsWith(API))
                      .map(pattern -> API + pattern.substring(API.length()).split("/")[0])
                      .distinct()
                      .flatMap(folder -> Stream.of(folder, folder + "/**")))
              .<RequestMatcher>map(pattern -> pathPattern(pattern))
              .toList());

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
  }

  /** Whether the caller may send the request, by the same rules as those of the filter chain. */
  static boolean admits(Optional<CallerAuthentication> caller, HttpServletRequest request) {
    if (LOGIN.matches(request)) {
      return true;
    }
    Optional<Rule> rule = ALL.stream().filter(it -> it.covers(request)).findFirst();
    if (rule.isEmpty()) {
      return !API_OF_PAGE.matches(request) && FILES.matches(request);
    }
    String role = rule.get().role();
    return caller.filter(it -> role.equals(CALLER) || it.hasRole(role)).isPresent();
  }

  static void rules(
      AuthorizeHttpRequestsConfigurer<HttpSecurity>.AuthorizationManagerRequestMatcherRegistry
          paths) {
    paths.requestMatchers(LOGIN).permitAll();
    ALL.forEach(rule -> {
      var requests = paths.requestMatchers(rule.matchers().toArray(RequestMatcher[]::new));
      if (rule.role().equals(CALLER)) {
        requests.authenticated();
      } else {
        requests.hasRole(rule.role());
      }
    });
    paths
        .requestMatchers(API_OF_PAGE)
        .denyAll()
        .requestMatchers(FILES)
        .permitAll()
        .anyRequest()
        .denyAll();
  }
}
