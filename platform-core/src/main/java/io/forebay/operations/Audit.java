/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.service.progress.Unavailable;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records who did, attempted or was refused what. Entries are added and, after the retention time,
 * deleted; they are never changed. Thread-safe.
 */
public interface Audit {

  /** The outcome of an action that is about to be done. */
  String ALLOWED = "allowed";

  /**
   * Records an action before it is done. The entry is committed when this returns.
   *
   * @throws Unavailable if the entry cannot be written; the action must not be done then
   */
  void record(Entry entry);

  /**
   * Records a command and performs it. If it throws, another entry has its action and, as the
   * outcome, the message of the exception.
   *
   * @throws Unavailable if the command cannot be recorded; it is not performed then
   */
  default <R, E extends Exception> R perform(Entry command, Effect<R, E> effect) throws E {
    record(command);
    try {
      return effect.perform();
    } catch (Exception e) {
      try {
        record(command.withOutcome("failed: " + e.getMessage()));
      } catch (Unavailable unrecorded) {
        e.addSuppressed(unrecorded);
      }
      throw e;
    }
  }

  /** What a command does. */
  @FunctionalInterface
  interface Effect<R, E extends Exception> {
    R perform() throws E;
  }

  /** All entries; see {@link #before(long, int, Filter)}. */
  default List<Recorded> before(long before, int limit) {
    return before(before, limit, Filter.ALL);
  }

  /**
   * Entries with a smaller number than {@code before}, the newest first.
   *
   * @param before the number of the last entry of the previous page, or {@link Long#MAX_VALUE}
   * @param limit the most entries to return
   * @throws Unavailable if they cannot be read
   */
  List<Recorded> before(long before, int limit, Filter filter);

  /** Whether entries are stored. If not, values must not be shown. */
  default boolean isKept() {
    return true;
  }

  /** Stores nothing; for processes without a system database. */
  static Audit none() {
    return new Audit() {
      @Override
      public boolean isKept() {
        return false;
      }

      @Override
      public void record(Entry entry) {}

      @Override
      public List<Recorded> before(long before, int limit, Filter filter) {
        return List.of();
      }
    };
  }

  /**
   * Selects entries.
   *
   * @param actor only entries of the actor of this name; null for all
   * @param action only entries whose action begins with this text; null for all
   * @param commands only entries of what users changed: no logins, no looks at values, no refused
   *     requests; of these, only those among the newest 10,000 entries
   */
  record Filter(@Nullable String actor, @Nullable String action, boolean commands) {

    /** All entries. */
    public static final Filter ALL = new Filter(null, null, false);
  }

  /**
   * One action that somebody did or attempted. Longer texts are cut to the given length; control
   * characters become question marks. No part may contain arguments of statements, SQL or tokens.
   *
   * @param actor who acted
   * @param action the action, such as {@code service.pause}; 100 characters
   * @param target the object of the action, such as the name of a service; 500 characters
   * @param reason the reason that the actor gave, or empty; 1,000 characters
   * @param outcome {@link #ALLOWED}, or the result; 100 characters
   */
  record Entry(Actor actor, String action, String target, String reason, String outcome) {

    /** The entry of a command that is about to be performed. */
    public static Entry allowed(Actor actor, String action, String target, String reason) {
      return new Entry(actor, action, target, reason, ALLOWED);
    }

    /** The same with another outcome. */
    public Entry withOutcome(String other) {
      return new Entry(actor, action, target, reason, other);
    }
  }

  /**
   * @param id its number; later entries have larger ones
   */
  record Recorded(long id, Instant at, Entry entry) {}
}
