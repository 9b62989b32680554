/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import static io.forebay.admin.Caller.ADMIN;
import static io.forebay.admin.Caller.OPERATOR;
import static io.forebay.admin.Caller.VIEWER;
import static org.springframework.http.HttpMethod.GET;
import static org.springframework.http.HttpMethod.POST;

import java.util.Arrays;
import java.util.List;
import org.springframework.http.HttpMethod;

/** The weakest role that each endpoint of the admin API accepts; the filter chain checks it. */
public final class AdminAccess {

  private static final String API = "/api/v1";
  private static final String PAGE = "/admin/api/v1";

  /** The files of the page, which contain nothing secret. */
  public static final String FILES = "/admin/v/**";

  /**
   * The addresses of the screens, beside {@code /admin/}: the server answers each with the page.
   */
  public static final String SCREENS =
      "/admin/{screen:services|jobs|storage|failed|messages|callers|audit|settings}/**";

  /** The rules; the first that covers a request applies. */
  public static final List<Rule> RULES =
      List.of(
          rule(GET, VIEWER, List.of(API), "/status", "/services/{name}"),
          rule(GET, VIEWER, List.of(API), "/failed", "/failed/{id}"),
          rule(POST, OPERATOR, List.of(API), "/failed/{id}/replay"),
          rule(POST, OPERATOR, List.of(API), "/failed/{id}/values"),
          rule(POST, OPERATOR, List.of(API), "/failed/{id}/export"),
          rule(POST, OPERATOR, List.of(API), "/failed/{id}/set-aside"),
          rule(POST, OPERATOR, List.of(API), "/failed/{id}/reopen"),
          rule(POST, ADMIN, List.of(API), "/failed/{id}/discard"),
          rule(GET, VIEWER, List.of(PAGE), "/snapshot", "/stream", "/alerts"),
          rule(GET, VIEWER, List.of(PAGE), "/services/{name}", "/services/{name}/series"),
          rule(GET, VIEWER, List.of(PAGE), "/services/{name}/latency", "/services/{name}/burst"),
          rule(GET, VIEWER, List.of(PAGE), "/storage", "/storage/series"),
          rule(GET, VIEWER, List.of(PAGE), "/failures", "/failures/list", "/failures/count"),
          rule(GET, VIEWER, List.of(PAGE), "/failures/replays", "/failures/replays/{id}"),
          rule(POST, OPERATOR, List.of(PAGE), "/failures/replays", "/failures/replays/{id}/stop"),
          rule(POST, OPERATOR, List.of(PAGE), "/failures/{id}/replay"),
          rule(POST, OPERATOR, List.of(PAGE), "/failures/{id}/values", "/failures/{id}/export"),
          rule(POST, OPERATOR, List.of(PAGE), "/failures/{id}/set-aside", "/failures/{id}/reopen"),
          rule(POST, ADMIN, List.of(PAGE), "/failures/{id}/discard"),
          rule(POST, OPERATOR, List.of(PAGE), "/demo/burst"),
          rule(POST, OPERATOR, List.of(API, PAGE), "/services/{name}/pause"),
          rule(POST, OPERATOR, List.of(API, PAGE), "/services/{name}/resume"),
          rule(POST, ADMIN, List.of(API, PAGE), "/services/{name}/drain"),
          rule(
              POST,
              OPERATOR,
              List.of(API, PAGE),
              "/services/{name}/partitions/{partition}/fail-message"),
          rule(
              POST, ADMIN, List.of(API, PAGE), "/services/{name}/partitions/{partition}/set-aside"),
          rule(POST, OPERATOR, List.of(API, PAGE), "/callers/limit", "/callers/lift"),
          rule(GET, OPERATOR, List.of(PAGE), "/callers", "/queues", "/queues/{queue}/messages"),
          rule(GET, OPERATOR, List.of(PAGE), "/queues/{queue}/messages/{partition}/{position}"),
          rule(
              POST, ADMIN, List.of(PAGE), "/queues/{queue}/messages/{partition}/{position}/values"),
          rule(GET, VIEWER, List.of(API, PAGE), "/jobs", "/jobs/{name}", "/jobs/{name}/executions"),
          rule(GET, VIEWER, List.of(API, PAGE), "/jobs/executions/{id}"),
          rule(POST, OPERATOR, List.of(API, PAGE), "/jobs/{name}/executions"),
          rule(POST, OPERATOR, List.of(API, PAGE), "/jobs/executions/{id}/stop"),
          rule(POST, OPERATOR, List.of(API, PAGE), "/jobs/executions/{id}/restart"),
          rule(POST, OPERATOR, List.of(API, PAGE), "/jobs/executions/{id}/recover"),
          rule(POST, OPERATOR, List.of(API, PAGE), "/jobs/executions/{id}/abandon"));

  /**
   * @param role the weakest role that may send such requests
   */
  public record Rule(HttpMethod method, String role, String... patterns) {}

  private AdminAccess() {}

  /** A bean of this type says that a filter chain has the rules. */
  public record Checked() {}

  private static Rule rule(
      HttpMethod method, String role, List<String> prefixes, String... suffixes) {
    return new Rule(
        method,
        role,
        prefixes.stream()
            .flatMap(prefix -> Arrays.stream(suffixes).map(prefix::concat))
            .toArray(String[]::new));
  }

  /** The roles that may send requests with this method to this pattern of a rule. */
  public static List<String> roles(HttpMethod method, String pattern) {
    return RULES.stream()
        .filter(rule -> rule.method().equals(method) && List.of(rule.patterns()).contains(pattern))
        .map(rule -> Caller.atLeast(rule.role()))
        .findFirst()
        .orElseThrow();
  }
}
