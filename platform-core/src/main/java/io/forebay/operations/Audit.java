/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.queue.QueueRefused;
import io.forebay.service.progress.Unavailable;
import io.forebay.text.OneLine;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;
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
   * Records a command and performs it. If it throws, another entry has its action and says why; see
   * {@link Entry#failed}.
   *
   * @throws Unavailable if the command cannot be recorded; it is not performed then
   */
  default <R, E extends Exception> R perform(Entry command, Effect<R, E> effect) throws E {
    record(command);
    try {
      return effect.perform();
    } catch (Exception e) {
      try {
        record(command.failed(e));
      } catch (Unavailable unrecorded) {
        e.addSuppressed(unrecorded);
      }
      throw e;
    }
  }

  /**
   * An exception that refuses a command and whose message is a sentence of Forebay's own. Of the
   * request it has at most names, and never arguments, SQL or messages of drivers.
   */
  interface Refusal {}

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
   * and format characters, and separators of lines and paragraphs, become question marks. No part
   * may contain arguments of statements, SQL or tokens.
   *
   * @param actor who acted
   * @param action the action, such as {@code service.pause}; 100 characters
   * @param target the object of the action, such as the name of a service; 2,000 characters
   * @param reason the reason that the actor gave, or empty; 5,000 characters
   * @param outcome {@link #ALLOWED}, or the result; 500 characters
   * @param change what the command changes
   */
  record Entry(
      Actor actor, String action, String target, String reason, String outcome, Change change) {

    /** An entry of what changes nothing, or whose change is not known. */
    public Entry(Actor actor, String action, String target, String reason, String outcome) {
      this(actor, action, target, reason, outcome, Change.NONE);
    }

    /** The entry of a command that is about to be performed. */
    public static Entry allowed(Actor actor, String action, String target, String reason) {
      return new Entry(actor, action, target, reason, ALLOWED);
    }

    /**
     * The same of a command that failed. The outcome has the message of a {@link Refusal} or of a
     * queue that refused a message, and of any other exception only the class: its message may have
     * values. It has no change, since nothing changed.
     */
    public Entry failed(Exception why) {
      return withOutcome(
              "failed: "
                  + (why instanceof Refusal || why instanceof QueueRefused
                      ? why.getMessage()
                      : why.getClass().getName()))
          .changing(Change.NONE);
    }

    /** The same with another outcome. */
    public Entry withOutcome(String other) {
      return new Entry(actor, action, target, reason, other, change);
    }

    /** The same of a command that makes this change. */
    public Entry changing(Change other) {
      return new Entry(actor, action, target, reason, outcome, other);
    }
  }

  /**
   * What a command changes of its target: the state that its caller saw before, and the one that
   * the command leaves.
   *
   * @param fields those that differ
   */
  record Change(List<Field> fields) {

    /** No change. */
    public static final Change NONE = new Change(List.of());

    public Change {
      fields = List.copyOf(fields);
    }

    /** The fields that differ; one that a map lacks has no value there. */
    public static Change between(
        SequencedMap<String, String> before, SequencedMap<String, String> after) {
      Set<String> names = new LinkedHashSet<>(before.keySet());
      names.addAll(after.keySet());
      return new Change(
          names.stream()
              .map(it -> new Field(it, before.getOrDefault(it, ""), after.getOrDefault(it, "")))
              .filter(it -> !it.before().equals(it.after()))
              .toList());
    }

    /** A change of one field. */
    public static Change of(String name, String before, String after) {
      return new Change(List.of(new Field(name, before, after)));
    }

    public boolean isNone() {
      return fields.isEmpty();
    }

    /** The fields as they are stored: a line for each, with tabs between its three parts. */
    public String lines() {
      return fields.stream()
          .map(it -> it.name() + '\t' + it.before() + '\t' + it.after())
          .collect(Collectors.joining("\n"));
    }

    /** Reads {@link #lines()}; a line that was changed to have fewer parts lacks values. */
    public static Change ofLines(String lines) {
      return new Change(
          lines
              .lines()
              .map(it -> it.split("\t", 3))
              .map(it -> new Field(it[0], it.length > 1 ? it[1] : "", it.length > 2 ? it[2] : ""))
              .toList());
    }

    /** The change in words, such as {@code state: running → paused; reason: none → migration}. */
    public String text() {
      return fields.stream()
          .map(it -> it.name() + ": " + word(it.before()) + " → " + word(it.after()))
          .collect(Collectors.joining("; "));
    }

    private static String word(String value) {
      return value.isEmpty() ? "none" : value;
    }
  }

  /**
   * One changed field. Values are one line of at most 1,000 characters, as texts of an entry.
   *
   * @param name such as {@code state}; 50 characters
   * @param before empty if it had no value
   * @param after empty if it has none now
   */
  record Field(String name, String before, String after) {

    private static final int LONGEST_NAME = 50;
    private static final int LONGEST_VALUE = 1_000;

    public Field {
      name = OneLine.of(name, LONGEST_NAME);
      before = OneLine.of(before, LONGEST_VALUE);
      after = OneLine.of(after, LONGEST_VALUE);
    }
  }

  /**
   * @param id its number; later entries have larger ones
   */
  record Recorded(long id, Instant at, Entry entry) {}
}
