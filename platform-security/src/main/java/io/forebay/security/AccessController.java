/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.system.TokenStore;
import io.forebay.web.FieldError;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.Validation;
import jakarta.validation.Validator;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.BooleanSupplier;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;

/**
 * Creates and deletes tokens or users; each change is written to the audit before it is made.
 *
 * @param <S> a token or a user as it is stored
 */
abstract class AccessController<S> {

  /** The name of a token or a user, which appears in the audit, as a regular expression. */
  static final String NAME = "(?!(anonymous|system)$)[A-Za-z0-9][A-Za-z0-9._-]{0,99}";

  static final String NAME_RULE =
      "must be 1 to 100 letters, digits, dots, underscores and hyphens, beginning with a letter or"
          + " digit, and neither anonymous nor system";

  /** Not the validator of the application, which may lack these constraints. */
  private static final Validator VALIDATOR =
      Validation.buildDefaultValidatorFactory().getValidator();

  final InstantSource clock = InstantSource.system();
  private final Audit audit;
  private final String kind;
  private final String lasting;
  private final String path;

  /**
   * @param kind token or user
   * @param lasting one that can replace the last one of role admin
   * @param path where they are
   */
  AccessController(Audit audit, String kind, String lasting, String path) {
    this.audit = audit;
    this.kind = kind;
    this.lasting = lasting;
    this.path = path;
  }

  abstract List<S> stored();

  abstract String name(S stored);

  /** What the audit has of a token or user, with role and statements. */
  abstract SequencedMap<String, String> fields(S stored);

  abstract TokenStore.Removal remove(String name);

  /**
   * Returns a body that is valid.
   *
   * @throws Problem with all invalid fields
   */
  static <T> T valid(T body) {
    List<FieldError> errors =
        VALIDATOR.validate(body).stream()
            .map(it -> new FieldError(pointer(it.getPropertyPath().toString()), it.getMessage()))
            .sorted(Comparator.comparing(FieldError::field))
            .toList();
    if (!errors.isEmpty()) {
      throw Problem.invalidFields(errors);
    }
    return body;
  }

  /** Of {@code statements[1].<list element>} or {@code others[hash].<map value>}. */
  private static String pointer(String path) {
    return path.replaceFirst("^others", "")
        .replaceFirst("^(?!\\[)", "/")
        .replaceFirst("\\.<[^>]+>$", "")
        .replace('[', '/')
        .replace("]", "");
  }

  static SequencedMap<String, String> fields(
      String role, List<String> statements, Instant createdAt) {
    SequencedMap<String, String> fields = new LinkedHashMap<>();
    fields.put("role", role);
    fields.put("statements", String.join(" ", statements));
    fields.put("created", createdAt.truncatedTo(ChronoUnit.SECONDS).toString());
    return fields;
  }

  /**
   * @param add returns false if the name is in use
   * @param view the answer
   */
  <T> ResponseEntity<T> create(Actor actor, S wanted, BooleanSupplier add, T view) {
    SequencedMap<String, String> fields = fields(wanted);
    String statements = fields.getOrDefault("statements", "");
    String rights =
        "role " + fields.get("role") + (statements.isEmpty() ? "" : ", statements " + statements);
    return audit.perform(
        Audit.Entry.allowed(actor, kind + ".create", name(wanted), rights)
            .changing(Audit.Change.between(new LinkedHashMap<>(), fields)),
        () -> {
          if (!add.getAsBoolean()) {
            throw Problem.conflict(
                "A %s with this name exists; delete it first, or choose another name."
                    .formatted(kind));
          }
          return ResponseEntity.created(URI.create(path + "/" + name(wanted))).body(view);
        });
  }

  @DeleteMapping("/{name}")
  ResponseEntity<Void> delete(@PathVariable String name, HttpServletRequest request) {
    Audit.Change change =
        stored().stream()
            .filter(it -> name(it).equals(name))
            .findFirst()
            .map(it -> Audit.Change.between(fields(it), new LinkedHashMap<>()))
            .orElse(Audit.Change.NONE);
    return audit.perform(
        Audit.Entry.allowed(RefusalFilter.actor(request), kind + ".delete", name, "")
            .changing(change),
        () ->
            switch (remove(name)) {
              case REMOVED -> ResponseEntity.noContent().build();
              case UNKNOWN -> throw Problem.notFound("There is no such %s.".formatted(kind));
              case LAST_ADMIN ->
                  throw Problem.conflict(
                      "The last %s of role admin that does not end cannot be deleted; first create %s."
                          .formatted(kind, lasting));
            });
  }
}
