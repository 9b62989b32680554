/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import io.forebay.operations.StartRefused;
import io.forebay.operations.jobs.JobView;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The description of a job for operators, and its parameters; a bean beside the {@code Job}. A job
 * without a description accepts any texts as parameters.
 *
 * @param job its name; the application does not start if no job has it
 * @param text one sentence: what it does
 * @param statement the parameter with the name of a statement of the catalogue that the job
 *     performs, which only those may start who may send it; null if there is none
 */
public record JobDescription(
    String job, String text, List<Parameter> parameters, @Nullable String statement) {

  public JobDescription {
    parameters = List.copyOf(parameters);
  }

  /** A description of a job that performs no statement of its starter's choice. */
  public JobDescription(String job, String text, List<Parameter> parameters) {
    this(job, text, parameters, null);
  }

  /**
   * Descriptions by the names of their jobs.
   *
   * @throws StartRefused if two describe the same job
   */
  public static Map<String, JobDescription> byJob(Stream<JobDescription> descriptions) {
    return descriptions.collect(
        Collectors.toMap(
            JobDescription::job,
            Function.identity(),
            (one, _) -> {
              throw new StartRefused(
                  "Two JobDescription beans describe the job %s; keep one of them"
                      .formatted(one.job()));
            }));
  }

  /** A description without parameters; add them with {@link #with}. */
  public static JobDescription of(String job, String text) {
    return new JobDescription(job, text, List.of());
  }

  public JobDescription with(Parameter parameter) {
    List<Parameter> all = new ArrayList<>(parameters);
    all.add(parameter);
    return new JobDescription(job, text, all, statement);
  }

  /**
   * The job performs the statement whose name is in a parameter. An operator can start or restart
   * it only with the grant for that statement; the application itself needs none.
   */
  public JobDescription performing(String parameter) {
    return new JobDescription(job, text, parameters, parameter);
  }

  boolean takes(String parameter) {
    return parameters.stream().anyMatch(it -> it.name().equals(parameter));
  }

  /** The type of a parameter, and the class in which the job receives it. */
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
   * @param required whether it must be given; then it has no default
   * @param identifying whether a different value makes a different run of the job
   * @param byDefault the value if none is given; null: the job runs without it
   */
  public record Parameter(
      String name,
      Type type,
      boolean required,
      boolean identifying,
      @Nullable String byDefault,
      String text) {

    /** A required parameter that identifies the run. */
    public static Parameter required(String name, Type type, String text) {
      return new Parameter(name, type, true, true, null, text);
    }

    /** An optional parameter that does not identify the run. */
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
