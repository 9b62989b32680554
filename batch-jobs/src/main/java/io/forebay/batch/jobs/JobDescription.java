/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import io.forebay.operations.JobView;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What an operator reads of a job and which parameters it takes; a bean beside the {@code Job}. A
 * job without one takes any text as a parameter.
 *
 * @param job its name
 * @param text one sentence: what it does
 */
public record JobDescription(String job, String text, List<Parameter> parameters) {

  public JobDescription {
    parameters = List.copyOf(parameters);
  }

  /** Of a job that takes no parameters, which {@link #with} adds. */
  public static JobDescription of(String job, String text) {
    return new JobDescription(job, text, List.of());
  }

  public JobDescription with(Parameter parameter) {
    List<Parameter> all = new ArrayList<>(parameters);
    all.add(parameter);
    return new JobDescription(job, text, all);
  }

  /** What a value is, and which class the job finds it as. */
  public enum Type {
    /** A {@link String}. */
    TEXT,
    /** A {@link Long}. */
    INTEGER,
    /** A {@link Double}. */
    DECIMAL,
    /** A {@link java.time.LocalDate}, such as 2026-11-19. */
    DATE,
    /** A {@link java.time.LocalDateTime}, such as 2026-11-19T02:00. */
    TIME
  }

  /**
   * @param required whether it must be given; it has no default then
   * @param identifying whether executions with another value are of another run of the job
   * @param byDefault the value if none is given; null: the job goes without
   */
  public record Parameter(
      String name,
      Type type,
      boolean required,
      boolean identifying,
      @Nullable String byDefault,
      String text) {

    /** One that must be given and identifies the run. */
    public static Parameter required(String name, Type type, String text) {
      return new Parameter(name, type, true, true, null, text);
    }

    /** One that may be given and identifies nothing. */
    public static Parameter optional(
        String name, Type type, @Nullable String byDefault, String text) {
      return new Parameter(name, type, false, false, byDefault, text);
    }

    JobView.Parameter view() {
      return new JobView.Parameter(
          name, type.name().toLowerCase(Locale.ROOT), required, identifying, byDefault, text);
    }
  }
}
