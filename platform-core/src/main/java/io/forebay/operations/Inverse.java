/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Knows how to undo commands of some actions, by the change that their entries in the audit have.
 * Thread-safe.
 */
public interface Inverse {

  /** The actions that it can undo. */
  Set<String> actions();

  /** The weakest role that may undo them: operator or admin. */
  String role();

  /**
   * How to undo a command.
   *
   * @param done the entry of the command; it has a change
   * @param actor who undoes it
   * @param reason why; may be empty
   * @return null if its target does not exist any longer
   * @throws RuntimeException an {@link Audit.Refusal} if it cannot be undone now whatever the state
   *     is
   */
  @Nullable Undo plan(Audit.Entry done, Actor actor, String reason);

  /**
   * The command that undoes another one.
   *
   * @param action its action in the audit
   * @param now the present state; if it is not the one that the command left, nothing is undone
   * @param after the state that it leaves
   * @param effect undoes it; throws an {@link Audit.Refusal} if the state has changed meanwhile
   */
  record Undo(
      String action,
      SequencedMap<String, String> now,
      SequencedMap<String, String> after,
      Runnable effect) {

    /** What it changes. */
    public Audit.Change change() {
      return Audit.Change.between(now, after);
    }
  }
}
