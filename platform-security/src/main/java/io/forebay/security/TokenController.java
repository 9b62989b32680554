/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.forebay.access.TokenText;
import io.forebay.access.Tokens;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.system.StoredToken;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import tools.jackson.databind.JsonNode;

/** Creates, lists and deletes tokens; each change is written to the audit before it is made. */
@ForebayController
@RequestMapping("/api/v1/tokens")
final class TokenController {

  private final Tokens tokens;
  private final Audit audit;
  private final InstantSource clock = InstantSource.system();

  TokenController(Tokens tokens, Audit audit) {
    this.tokens = tokens;
    this.audit = audit;
  }

  /**
   * @param expiresAt when it ends; missing if it does not
   * @param token its text; only in the answer to the request that created it
   */
  record View(
      String name,
      String role,
      List<String> statements,
      String createdBy,
      Instant createdAt,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Instant expiresAt,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String token) {

    static View of(StoredToken stored, @Nullable String text) {
      return new View(
          stored.name(),
          stored.role(),
          stored.statements(),
          stored.createdBy(),
          stored.createdAt(),
          stored.expiresAt(),
          text);
    }
  }

  @PostMapping(consumes = "application/json")
  ResponseEntity<View> make(@RequestBody JsonNode body, Actor actor) {
    TokenRequest.Wanted wanted = TokenRequest.read(body);
    String text = TokenText.generate();
    StoredToken token =
        new StoredToken(
            wanted.name(),
            TokenText.hash(text),
            wanted.role().text(),
            wanted.statements(),
            actor.name(),
            clock.instant());
    return audit.perform(
        Audit.Entry.allowed(actor, "token.create", wanted.name(), wanted.text())
            .changing(Audit.Change.between(new LinkedHashMap<>(), fields(token))),
        () -> {
          if (!tokens.add(token)) {
            throw Problem.conflict(
                "A token with this name exists; delete it first, or choose another name.");
          }
          return ResponseEntity.created(URI.create("/api/v1/tokens/" + token.name()))
              .body(View.of(token, text));
        });
  }

  record Listed(List<View> tokens) {}

  @GetMapping
  Listed list() {
    return new Listed(tokens.refresh().stream().map(it -> View.of(it, null)).toList());
  }

  @DeleteMapping("/{name}")
  ResponseEntity<Void> delete(@PathVariable String name, Actor actor) {
    SequencedMap<String, String> before = find(tokens, name);
    return audit.perform(
        Audit.Entry.allowed(actor, "token.delete", name, "")
            .changing(
                before == null
                    ? Audit.Change.NONE
                    : Audit.Change.between(before, new LinkedHashMap<>())),
        () -> delete(name));
  }

  private static @Nullable SequencedMap<String, String> find(Tokens tokens, String name) {
    return tokens.refresh().stream()
        .filter(it -> it.name().equals(name))
        .findFirst()
        .map(TokenController::fields)
        .orElse(null);
  }

  private static SequencedMap<String, String> fields(StoredToken token) {
    return fields(token.role(), token.statements(), token.createdAt());
  }

  /** A token or user in the audit. */
  static SequencedMap<String, String> fields(
      String role, List<String> statements, Instant createdAt) {
    SequencedMap<String, String> fields = new LinkedHashMap<>();
    fields.put("role", role);
    fields.put("statements", String.join(" ", statements));
    fields.put("created", createdAt.truncatedTo(ChronoUnit.SECONDS).toString());
    return fields;
  }

  private ResponseEntity<Void> delete(String name) {
    return switch (tokens.remove(name)) {
      case REMOVED -> ResponseEntity.noContent().build();
      case UNKNOWN -> throw Problem.notFound("There is no such token.");
      case LAST_ADMIN ->
          throw Problem.conflict(
              "The last token of role admin cannot be deleted; create another one first, which does"
                  + " not end.");
    };
  }
}
