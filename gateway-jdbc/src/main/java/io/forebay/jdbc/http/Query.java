/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.problem.HttpProblem;
import io.forebay.problem.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** Reads the parameters of a query string. */
final class Query {

  private Query() {}

  /**
   * @return null if the query has no such parameter
   * @throws HttpProblem if the query cannot be decoded, or contains the parameter twice
   */
  static @Nullable String parameter(HttpServletRequest request, String name) {
    if (request.getQueryString() == null) {
      return null;
    }
    String[] values;
    try {
      values = request.getParameterValues(name);
    } catch (IllegalStateException _) {
      throw new HttpProblem(
          ProblemType.INVALID_REQUEST,
          "The query cannot be decoded (names, = and values, in UTF-8, percent-encoded);"
              + " nothing was done");
    }
    if (values == null) {
      return null;
    }
    if (values.length > 1) {
      throw new HttpProblem(
          ProblemType.INVALID_REQUEST, name + " appears twice in the query; nothing was done");
    }
    return values[0];
  }

  /**
   * @param usual if the query has no such parameter
   * @throws HttpProblem if it is not a whole number from {@code least} to {@code most}
   */
  static long number(HttpServletRequest request, String name, long least, long most, long usual) {
    String text = parameter(request, name);
    if (text == null) {
      return usual;
    }
    Long number = text.matches("[0-9]{1,18}") ? Long.valueOf(text) : null;
    if (number == null || number < least || number > most) {
      throw new HttpProblem(
          ProblemType.INVALID_REQUEST,
          "%s must be a number from %d to %d; nothing was done".formatted(name, least, most));
    }
    return number;
  }
}
