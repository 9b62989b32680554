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
import io.forebay.system.TokenStore;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;

/** Creates, lists and deletes tokens. */
@ForebayController
@RequestMapping({TokenController.PATH, OwnPaths.PAGE + "/tokens"})
final class TokenController extends AccessController<StoredToken> {

  static final String PATH = "/api/v1/tokens";

  private final Tokens tokens;
  private final Duration lifetime;

  TokenController(Tokens tokens, Audit audit, SecurityProperties properties) {
    super(audit, "token", "another one that ends no earlier", PATH);
    this.tokens = tokens;
    this.lifetime = properties.tokenLifetime();
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
    TokenRequest wanted = valid(body);
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
    return create(actor, token, () -> tokens.add(token), new View(token, text));
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
    return new Listed(stored().stream().map(it -> new View(it, null)).toList());
  }

  @Override
  List<StoredToken> stored() {
    return tokens.refresh();
  }

  @Override
  String name(StoredToken stored) {
    return stored.name();
  }

  @Override
  SequencedMap<String, String> fields(StoredToken stored) {
    SequencedMap<String, String> fields =
        fields(stored.role(), stored.statements(), stored.createdAt());
    fields.put("ends", stored.expiresAt().toString());
    return fields;
  }

  @Override
  TokenStore.Removal remove(String name) {
    return tokens.remove(name);
  }
}
