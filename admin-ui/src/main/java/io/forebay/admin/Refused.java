/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.operations.Audit;
import io.forebay.problem.ProblemType;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Ends a request with a problem document. */
public final class Refused extends RuntimeException implements Audit.Refusal {

  private static final long serialVersionUID = 1;

  private final ProblemType type;
  private final @Nullable String field;
  private final Map<String, Object> more = new LinkedHashMap<>();

  private Refused(ProblemType type, String detail) {
    this(type, detail, null);
  }

  private Refused(ProblemType type, String detail, @Nullable String field) {
    super(detail);
    this.type = type;
    this.field = field;
  }

  /**
   * @param field the invalid field as a JSON pointer into the body, or the name of a parameter
   * @param message what the field must be
   */
  public static Refused invalidField(String field, String message) {
    return new Refused(ProblemType.INVALID_PARAMETERS, message, field);
  }

  public static Refused notFound(String detail) {
    return new Refused(ProblemType.NOT_FOUND, detail);
  }

  public static Refused conflict(String detail) {
    return new Refused(ProblemType.CONFLICT, detail);
  }

  public static Refused invalid(String detail) {
    return new Refused(ProblemType.INVALID_REQUEST, detail);
  }

  public static Refused notPermitted(String role) {
    return new Refused(ProblemType.NOT_PERMITTED, "This needs the role " + role + ".");
  }

  public static Refused unauthenticated() {
    return new Refused(ProblemType.UNAUTHENTICATED, "Send the request with credentials.");
  }

  /** For a caller that has too many streams of events open. */
  public static Refused tooManySubscribers(String detail) {
    return new Refused(ProblemType.TOO_MANY_SUBSCRIBERS, detail);
  }

  /** For a request that may be retried a little later. */
  public static Refused unavailable(String detail) {
    return new Refused(ProblemType.UNAVAILABLE, detail);
  }

  /** Adds a member to the problem document. */
  public Refused with(String name, Object value) {
    more.put(name, value);
    return this;
  }

  Map<String, Object> more() {
    return Collections.unmodifiableMap(more);
  }

  @Nullable String field() {
    return field;
  }

  ProblemType type() {
    return type;
  }
}
