/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.service.Unavailable;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who did, tried or was refused what. Entries are added and, after the time of retention, deleted;
 * none is ever changed. Thread-safe.
 */
public interface Audit {

  /** Outcome of what is about to be done. */
  String ALLOWED = "allowed";

  /**
   * Writes down what is about to be done. It is committed when this returns.
   *
   * @throws Unavailable if it cannot be written; what was asked for must not be done then
   */
  void record(Entry entry);

  /** All entries; see {@link #before(long, int, Filter)}. */
  default List<Recorded> before(long before, int limit) {
    return before(before, limit, Filter.ALL);
  }

  /**
   * Entries with a smaller number than {@code before}, the newest first.
   *
   * @param before the number of the last entry already seen, or {@link Long#MAX_VALUE}
   * @param limit how many at most
   * @throws Unavailable if they cannot be read
   */
  List<Recorded> before(long before, int limit, Filter filter);

  /**
   * Which entries.
   *
   * @param actor only of the one with this name; null for all
   * @param action only those whose action begins so; null for all
   */
  record Filter(@Nullable String actor, @Nullable String action) {

    /** All of them. */
    public static final Filter ALL = new Filter(null, null);
  }

  /**
   * One thing that somebody did or tried. Longer texts are cut to the length given, control
   * characters become question marks. No part may hold arguments of statements, SQL or tokens.
   *
   * @param actor who
   * @param action what, such as {@code service.pause}; 100 characters
   * @param target on what, such as the name of a service; 500 characters
   * @param reason why, in the words of the actor, or empty; 1,000 characters
   * @param outcome {@link #ALLOWED}, or what came of it; 100 characters
   */
  record Entry(Actor actor, String action, String target, String reason, String outcome) {

    /** Of a command that is about to be performed. */
    public static Entry allowed(Actor actor, String action, String target, String reason) {
      return new Entry(actor, action, target, reason, ALLOWED);
    }
  }

  /**
   * @param id its number; later entries have larger ones
   */
  record Recorded(long id, Instant at, Entry entry) {}
}
