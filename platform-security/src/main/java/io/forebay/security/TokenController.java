/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.access.TokenText;
import io.forebay.access.Tokens;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.system.StoredToken;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
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

/** Creates, lists and deletes tokens. */
@ForebayController
@RequestMapping(TokenController.PATH)
final class TokenController {

  static final String PATH = "/api/v1/tokens";

  private final Tokens tokens;
  private final AccessCommands commands;
  private final Duration lifetime;
  private final InstantSource clock = InstantSource.system();

  TokenController(Tokens tokens, Audit audit, SecurityProperties properties) {
    this.tokens = tokens;
    this.lifetime = properties.tokenLifetime();
    this.commands = new AccessCommands(audit, "token", PATH);
  }

  /**
   * @param token its text; only in the answer to the request that created it
   */
  record View(
      @JsonUnwrapped
          @JsonIncludeProperties({
            "name",
            "role",
            "statements",
            "createdBy",
            "createdAt",
            "expiresAt"
          })
          StoredToken stored,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String token) {}

  @PostMapping(consumes = "application/json")
  ResponseEntity<View> make(@RequestBody TokenRequest body, HttpServletRequest request) {
    TokenRequest wanted = AccessCommands.valid(body);
    Actor actor = RefusalFilter.actor(request);
    Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
    String text = TokenText.generate();
    StoredToken token =
        new StoredToken(
            wanted.name(),
            TokenText.hash(text),
            wanted.role(),
            wanted.statements(),
            actor.name(),
            now,
            end(wanted.expiresAt(), now.plus(lifetime)));
    return commands.create(
        actor, token.name(), fields(token), () -> tokens.add(token), new View(token, text));
  }

  private Instant end(@Nullable Instant wanted, Instant latest) {
    if (wanted == null) {
      return latest;
    }
    if (wanted.isAfter(latest) || !wanted.isAfter(clock.instant())) {
      throw Problem.invalidField(
          "/expiresAt",
          "must be in the future, at the latest %s (forebay.security.token-lifetime)"
              .formatted(latest));
    }
    return wanted.truncatedTo(ChronoUnit.SECONDS);
  }

  record Listed(List<View> tokens) {}

  @GetMapping
  Listed list() {
    return new Listed(tokens.refresh().stream().map(it -> new View(it, null)).toList());
  }

  @DeleteMapping("/{name}")
  ResponseEntity<Void> delete(@PathVariable String name, HttpServletRequest request) {
    return commands.delete(
        RefusalFilter.actor(request),
        name,
        tokens.refresh().stream()
            .filter(it -> it.name().equals(name))
            .findFirst()
            .map(TokenController::fields),
        () -> tokens.remove(name));
  }

  private static SequencedMap<String, String> fields(StoredToken token) {
    SequencedMap<String, String> fields =
        AccessCommands.fields(token.role(), token.statements(), token.createdAt());
    fields.put("ends", token.expiresAt().toString());
    return fields;
  }
}
