/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.undo;

import io.forebay.admin.Refused;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.Inverse;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reopens a message that a command set aside, and sets one aside that it reopened. */
final class FailureInverse implements Inverse {

  private final String word;
  private final Failures failures;

  /**
   * @param word the name of such messages in the audit
   */
  FailureInverse(String word, Failures failures) {
    this.word = word;
    this.failures = failures;
  }

  @Override
  public Set<String> actions() {
    return Set.of(word + ".set-aside", word + ".reopen");
  }

  @Override
  public String role() {
    return "operator";
  }

  @Override
  public @Nullable Undo plan(Audit.Entry done, Actor actor, String reason) {
    return failures
        .find(done.target())
        .map(it -> plan(it, done.change(), actor, reason))
        .orElse(null);
  }

  private Undo plan(Failure failure, Audit.Change change, Actor actor, String reason) {
    SequencedMap<String, String> now = failure.fields();
    SequencedMap<String, String> before = change.restore(now);
    boolean reopens = Failure.State.OPEN.text().equals(before.get("state"));
    Failure.State to = reopens ? Failure.State.OPEN : Failure.State.SET_ASIDE;
    String why = reopens ? reason : before.getOrDefault("reason", "");
    return new Undo(
        word + (reopens ? ".reopen" : ".set-aside"),
        now,
        Failure.fields(to, why, actor.name()),
        () -> decide(failure.id(), to, actor, why));
  }

  private void decide(String id, Failure.State to, Actor actor, String reason) {
    if (failures.decide(id, to, actor.name(), reason).isEmpty()) {
      throw Refused.conflict("The message was deleted meanwhile.");
    }
  }
}
