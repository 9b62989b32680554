/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static io.forebay.operations.jobs.JobRefused.Reason.INVALID_PARAMETERS;

import io.forebay.operations.jobs.JobRefused;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;

/** Parses the parameters of a caller according to the job's description. */
final class GivenParameters {

  private static final int LONGEST_NAME = 100;
  private static final int LONGEST_VALUE = 2_500;

  /** A name that may be repeated in a log. */
  private static final Pattern NAME = Pattern.compile("[\\w.-]{1,%d}".formatted(LONGEST_NAME));

  private final Map<String, @Nullable String> given;
  private final JobParametersBuilder builder = new JobParametersBuilder();
  private final List<String> violations = new ArrayList<>();

  private GivenParameters(Map<String, @Nullable String> given) {
    this.given = given;
  }

  /**
   * @param description null if the job has none: then all parameters are identifying texts
   * @throws JobRefused listing all violations and what is allowed
   */
  static JobParameters read(
      Map<String, @Nullable String> given, @Nullable JobDescription description) {
    GivenParameters parameters = new GivenParameters(given);
    if (description == null) {
      given.forEach(parameters::text);
    } else {
      parameters.described(description);
    }
    parameters.check(description);
    return parameters.builder.toJobParameters();
  }

  private void text(String name, @Nullable String value) {
    if (name.isBlank() || name.length() > LONGEST_NAME) {
      violations.add("A name must have 1 to %d characters.".formatted(LONGEST_NAME));
    } else if (value != null && fits(name, value)) {
      builder.addString(name, value);
    }
  }

  private boolean fits(String name, String value) {
    if (value.length() > LONGEST_VALUE) {
      violations.add("%s is longer than %,d characters.".formatted(name, LONGEST_VALUE));
      return false;
    }
    return true;
  }

  private void described(JobDescription description) {
    List<String> allowed =
        description.parameters().stream().map(JobDescription.Parameter::name).toList();
    given.keySet().stream()
        .filter(name -> !allowed.contains(name))
        .forEach(name ->
            violations.add((NAME.matcher(name).matches() ? name : "A parameter") + " is unknown."));
    description.parameters().forEach(this::read);
  }

  private void read(JobDescription.Parameter parameter) {
    String value = given.get(parameter.name());
    if (value == null || value.isBlank()) {
      value = parameter.byDefault();
    }
    if (value == null) {
      if (parameter.required()) {
        violations.add(parameter.name() + " is missing.");
      }
    } else if (fits(parameter.name(), value)) {
      add(parameter, value);
    }
  }

  private void add(JobDescription.Parameter parameter, String value) {
    String name = parameter.name();
    boolean identifying = parameter.identifying();
    try {
      switch (parameter.type()) {
        case TEXT -> builder.addString(name, value, identifying);
        case INTEGER -> builder.addLong(name, Long.valueOf(value.strip()), identifying);
        case DECIMAL -> builder.addDouble(name, Double.valueOf(value.strip()), identifying);
        case DATE -> builder.addLocalDate(name, LocalDate.parse(value.strip()), identifying);
        case TIME ->
            builder.addLocalDateTime(name, LocalDateTime.parse(value.strip()), identifying);
      }
    } catch (NumberFormatException | DateTimeException _) {
      violations.add("%s must be %s.".formatted(name, words(parameter.type())));
    }
  }

  private static String words(JobDescription.Type type) {
    return switch (type) {
      case TEXT -> "text";
      case INTEGER -> "a whole number";
      case DECIMAL -> "a number";
      case DATE -> "a date such as 2026-11-19";
      case TIME -> "a time such as 2026-11-19T02:00";
    };
  }

  private void check(@Nullable JobDescription description) {
    if (violations.isEmpty()) {
      return;
    }
    if (description != null) {
      violations.add(allowed(description));
    }
    throw new JobRefused(INVALID_PARAMETERS, String.join(" ", violations));
  }

  private static String allowed(JobDescription description) {
    return description.parameters().isEmpty()
        ? "The job takes no parameters."
        : description.parameters().stream()
            .map(it -> it.name() + (it.required() ? " (required)" : ""))
            .collect(Collectors.joining(", ", "Allowed: ", "."));
  }
}
