/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.forebay.capacity.Alert;
import io.forebay.capacity.Until;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * An open alert.
 *
 * @param id stays the same while the problem lasts and when it returns
 * @param service the service concerned, or null
 * @param volume the volume concerned, or null
 * @param job the job concerned, or null
 * @param execution the execution of the job that is to be restarted or looked at; null if there is
 *     none or more than one
 * @param since when it opened, or when it became as severe as it is; see {@link #opened}
 * @param figure the value of the figure, in the unit of the kind; null for a state
 * @param threshold the mark that it has passed; null for a state
 * @param trouble time to trouble; orders problems of the same severity
 * @param silenced the silence; null if there is none
 * @param acknowledged the acknowledgement; null if there is none
 */
public record Problem(
    String id,
    Alert.Severity severity,
    AlertKind kind,
    @Nullable String service,
    @Nullable String volume,
    @Nullable String job,
    @Nullable Long execution,
    String text,
    Instant since,
    @Nullable Double figure,
    @Nullable Double threshold,
    @JsonIgnore Until trouble,
    @Nullable Silence silenced,
    @Nullable Acknowledgement acknowledged) {

  public static final Comparator<Problem> URGENT =
      Comparator.comparing((Problem it) -> it.silenced() != null)
          .thenComparing(it -> it.acknowledged() != null)
          .thenComparing(Problem::severity, Comparator.reverseOrder())
          .thenComparing(Problem::trouble)
          .thenComparing(Problem::kind)
          .thenComparing(Problem::id);

  /**
   * A silence: who silenced the problem, until when and why.
   *
   * @param by the name of the operator
   */
  public record Silence(String by, Instant until, String reason) {

    /** A silence in the audit; empty if the problem is not silenced. */
    public static SequencedMap<String, String> fields(@Nullable Silence given) {
      SequencedMap<String, String> fields = new LinkedHashMap<>();
      if (given != null) {
        fields.put("silenced until", given.until().toString());
        fields.put("by", given.by());
        fields.put("reason", given.reason());
      }
      return fields;
    }
  }

  /**
   * Somebody takes care of the problem, until it gets worse or closes.
   *
   * @param by the name of the operator
   * @param note what the others should know
   */
  public record Acknowledgement(String by, Instant at, String note) {

    /** An acknowledgement in the audit; empty if nobody has acknowledged the problem. */
    public static SequencedMap<String, String> fields(@Nullable Acknowledgement given) {
      SequencedMap<String, String> fields = new LinkedHashMap<>();
      if (given != null) {
        fields.put("acknowledged by", given.by());
        fields.put("note", given.note());
      }
      return fields;
    }

    private static final int BRIEF = 100;

    /** The same with at most 100 characters of its note. */
    public Acknowledgement brief() {
      return note.length() <= BRIEF
          ? this
          : new Acknowledgement(by, at, note.substring(0, BRIEF - 1) + "…");
    }
  }

  /**
   * The figure and when the alert opens and closes, such as "0.8 %, opens at 1 %, closes below 0.8
   * %"; null for a state.
   */
  @JsonProperty
  public @Nullable String marks() {
    String marks = kind.marks();
    return figure == null || marks == null ? null : kind.text(figure) + ", " + marks;
  }

  public Problem silenced(@Nullable Silence silence) {
    return with(since, silence, acknowledged);
  }

  public Problem acknowledged(@Nullable Acknowledgement acknowledgement) {
    return with(since, silenced, acknowledgement);
  }

  /** The same, open since this time if it is earlier, for instance because it got worse later. */
  public Problem opened(Instant at) {
    return at.isBefore(since) ? with(at, silenced, acknowledged) : this;
  }

  private Problem with(
      Instant opened, @Nullable Silence silence, @Nullable Acknowledgement acknowledgement) {
    return new Problem(
        id,
        severity,
        kind,
        service,
        volume,
        job,
        execution,
        text,
        opened,
        figure,
        threshold,
        trouble,
        silence,
        acknowledgement);
  }
}
