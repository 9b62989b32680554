/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.Role;
import io.forebay.access.TokenOwner;
import io.forebay.web.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Parses a request for a new token, and collects all violations. */
final class TokenRequest {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
  private static final Set<String> FIELDS = Set.of("name", "role", "statements");

  /** The limit of the column; names are separated by spaces. */
  private static final int STATEMENTS_LENGTH = 4_000;

  private final JsonNode body;
  private final List<Field> errors = new ArrayList<>();

  private TokenRequest(JsonNode body) {
    this.body = body;
  }

  record Wanted(String name, Role role, List<String> statements) {

    /** Its rights, for the audit. */
    String text() {
      return "role %s, %s"
          .formatted(
              role.text(),
              statements.isEmpty()
                  ? "no statements"
                  : "statements " + String.join(" ", statements));
    }
  }

  /**
   * @throws Problem with all invalid fields
   */
  static Wanted read(JsonNode body) {
    return new TokenRequest(body).read();
  }

  private Wanted read() {
    if (!body.isObject()) {
      throw Problem.invalidField("", "must be an object with name and role");
    }
    String name = name();
    @Nullable Role role = role();
    List<String> statements = statements(body, errors);
    body.propertyNames().stream()
        .filter(field -> !FIELDS.contains(field))
        .forEach(field -> reject(field, "is unknown; allowed are name, role and statements"));
    if (role == null || !errors.isEmpty()) {
      throw Problem.invalidFields(errors);
    }
    return new Wanted(name, role, statements);
  }

  private String name() {
    String name = body.path("name").stringValue("");
    checkName(name, errors);
    return name;
  }

  /** Checks the name of a token or a user; both appear in the audit. */
  static void checkName(String name, List<Field> errors) {
    if (!NAME.matcher(name).matches()) {
      errors.add(
          new Field(
              "/name",
              "must be 1 to 100 letters, digits, dots, underscores and hyphens, beginning with a"
                  + " letter or digit"));
    } else if (name.equals("anonymous") || name.equals("system")) {
      errors.add(
          new Field(
              "/name", "must not be a name that the audit uses for unauthenticated requests"));
    }
  }

  private @Nullable Role role() {
    Optional<Role> role = Role.of(body.path("role").stringValue(""));
    if (role.isEmpty()) {
      reject("role", "must be none, viewer, operator or admin");
    }
    return role.orElse(null);
  }

  /** The statements of a token or a user; without any, it may send none. */
  static List<String> statements(JsonNode body, List<Field> errors) {
    JsonNode given = body.path("statements");
    if (given.isMissingNode()) {
      return List.of();
    }
    List<String> patterns = new ArrayList<>();
    if (!given.isArray()) {
      errors.add(new Field("/statements", "must be a list of names or patterns"));
      return patterns;
    }
    for (int i = 0; i < given.size(); i++) {
      String pattern = given.get(i).stringValue("");
      if (!TokenOwner.isPattern(pattern)) {
        errors.add(new Field("/statements/" + i, "must be " + TokenOwner.PATTERN_RULE));
      }
      patterns.add(pattern);
    }
    if (String.join(" ", patterns).length() > STATEMENTS_LENGTH) {
      errors.add(
          new Field(
              "/statements", "must not be longer than 4,000 characters in all; use patterns"));
    }
    return patterns;
  }

  private void reject(String field, String detail) {
    errors.add(new Field("/" + field, detail));
  }

  /**
   * @param field a JSON pointer into the body
   * @param message what it must be
   */
  record Field(String field, String message) {}
}
