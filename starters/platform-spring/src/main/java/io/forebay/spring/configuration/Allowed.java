/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.configuration;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.core.convert.ConverterNotFoundException;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.util.unit.DataSize;

/** Describes the values that a property allows, for one that cannot be bound. */
final class Allowed {

  private static final Map<Class<?>, String> TYPES =
      Map.of(
          Duration.class, "a duration with its unit, such as 500ms, 30s, 5m or 72h",
          DataSize.class, "a size with its unit, such as 512KB or 64MB",
          Integer.class, "a whole number from -2147483648 to 2147483647",
          Long.class, "a whole number",
          Double.class, "a number such as 0.05",
          Boolean.class, "true or false");

  private Allowed() {}

  static String instead(Throwable error) {
    TypeDescriptor type = null;
    Throwable last = error;
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      last = cause;
      if (cause instanceof ConversionFailedException failed) {
        type = failed.getTargetType();
      } else if (cause instanceof ConverterNotFoundException missing) {
        type = missing.getTargetType();
      }
    }
    if (type != null) {
      return "must be " + of(type.getObjectType());
    }
    String message = last.getMessage();
    return message == null ? last.getClass().getSimpleName() : message;
  }

  private static String of(Class<?> type) {
    if (type.isEnum()) {
      return Arrays.stream(type.getEnumConstants())
          .map(it -> ((Enum<?>) it).name().toLowerCase(Locale.ROOT).replace('_', '-'))
          .collect(Collectors.joining(", ", "one of ", ""));
    }
    if (type.isRecord()) {
      return "given as nested properties, not as one value";
    }
    return TYPES.getOrDefault(type, "a " + type.getSimpleName());
  }
}
