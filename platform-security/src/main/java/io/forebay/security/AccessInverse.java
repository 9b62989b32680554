/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.Inverse;
import io.forebay.system.TokenStore;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/** Deletes a user or token that a command created. A deleted one cannot be restored. */
final class AccessInverse implements Inverse {

  private final String word;
  private final Function<String, @Nullable SequencedMap<String, String>> find;
  private final Function<String, TokenStore.Removal> remove;

  /**
   * @param word user or token
   * @param find the {@link #fields} of the one with a name; null if there is none
   */
  AccessInverse(
      String word,
      Function<String, @Nullable SequencedMap<String, String>> find,
      Function<String, TokenStore.Removal> remove) {
    this.word = word;
    this.find = find;
    this.remove = remove;
  }

  /** A user or token in the audit. */
  static SequencedMap<String, String> fields(
      String role, List<String> statements, Instant createdAt) {
    SequencedMap<String, String> fields = new LinkedHashMap<>();
    fields.put("role", role);
    fields.put("statements", String.join(" ", statements));
    fields.put("created", createdAt.truncatedTo(ChronoUnit.SECONDS).toString());
    return fields;
  }

  @Override
  public Set<String> actions() {
    return Set.of(word + ".create");
  }

  @Override
  public String role() {
    return "admin";
  }

  @Override
  public @Nullable Undo plan(Audit.Entry done, Actor actor, String reason) {
    SequencedMap<String, String> now = find.apply(done.target());
    return now == null
        ? null
        : new Undo(word + ".delete", now, new LinkedHashMap<>(), () -> remove(done.target()));
  }

  private void remove(String name) {
    if (remove.apply(name) != TokenStore.Removal.REMOVED) {
      throw new Problems.Declined(
          HttpStatus.CONFLICT, "The last %s of role admin cannot be deleted.".formatted(word));
    }
  }
}
