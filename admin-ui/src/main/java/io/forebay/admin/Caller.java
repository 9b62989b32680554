/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.operations.Actor;
import io.forebay.operations.jobs.StatementRights;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/** Who sends a request, and the roles of the admin API. */
public final class Caller {

  public static final String VIEWER = "VIEWER";
  public static final String OPERATOR = "OPERATOR";
  public static final String ADMIN = "ADMIN";

  /** From strongest to weakest; each role includes all weaker ones. */
  private static final List<String> ROLES = List.of(ADMIN, OPERATOR, VIEWER);

  private Caller() {}

  /** The role and all stronger ones. */
  static List<String> atLeast(String role) {
    return ROLES.subList(0, ROLES.indexOf(role) + 1);
  }

  /**
   * @throws Problem if nobody is logged in, or the caller has no role; the filter chain decides
   *     whether the role is strong enough
   */
  public static Actor of(HttpServletRequest request) {
    return with(VIEWER, request);
  }

  /**
   * Which statements the caller may send.
   *
   * @throws Problem if nobody is logged in
   */
  public static Predicate<String> rights(StatementRights rights, HttpServletRequest request) {
    Principal principal = request.getUserPrincipal();
    if (principal == null) {
      throw Problem.of(401);
    }
    return statement -> rights.maySend(principal, statement);
  }

  /**
   * @throws Problem if nobody is logged in or the caller has neither this role nor a stronger one
   */
  public static Actor with(String role, HttpServletRequest request) {
    Principal principal = request.getUserPrincipal();
    if (principal == null) {
      throw Problem.of(401);
    }
    for (String one : atLeast(role)) {
      if (request.isUserInRole(one)) {
        return new Actor(
            Actor.Kind.of(principal),
            principal.getName(),
            one.toLowerCase(Locale.ROOT),
            request.getRemoteAddr());
      }
    }
    throw new Problem(
        ProblemType.NOT_PERMITTED,
        "This needs the role %s.".formatted(role.toLowerCase(Locale.ROOT)));
  }
}
