/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.configuration;

import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.validation.BindValidationException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.validation.FieldError;
import org.springframework.validation.ObjectError;

/**
 * Lists the invalid properties of Forebay that one record has. Unlike the analyzer of Spring Boot,
 * it omits the values, because they may be secrets.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidValues extends AbstractFailureAnalyzer<BindValidationException> {

  private static final Pattern NAME_IN_BRACKETS = Pattern.compile("\\[(\\D[^\\].]*)]");

  private final Environment environment;

  InvalidValues(Environment environment) {
    this.environment = environment;
  }

  @Override
  protected @Nullable FailureAnalysis analyze(
      Throwable rootFailure, BindValidationException cause) {
    ConfigurationPropertyName record = cause.getValidationErrors().getName();
    if (!UnknownNames.ROOT.equals(record) && !UnknownNames.ROOT.isAncestorOf(record)) {
      return null;
    }
    return new FailureAnalysis(
        cause.getValidationErrors().getAllErrors().stream()
            .map(it -> text(record, it))
            .collect(Collectors.joining("", "The configuration of Forebay is wrong:", "")),
        "Change what is listed and start again. docs/configuration.md has all properties, with type"
            + " and default.",
        cause);
  }

  private String text(ConfigurationPropertyName record, ObjectError error) {
    ConfigurationPropertyName name =
        error instanceof FieldError field
            ? record.append(DataObjectPropertyName.toDashedForm(field.getField()))
            : record;
    return "%n  %s%s %s"
        .formatted(
            NAME_IN_BRACKETS.matcher(name.toString()).replaceAll(".$1"),
            place(name),
            error.getDefaultMessage());
  }

  private String place(ConfigurationPropertyName name) {
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      ConfigurationProperty given = source.getConfigurationProperty(name);
      if (given != null) {
        return given.getOrigin() == null ? "" : " (" + given.getOrigin() + ")";
      }
    }
    return "";
  }
}
