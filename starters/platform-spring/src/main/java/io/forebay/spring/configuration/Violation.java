/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.configuration;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * One violation in the configuration.
 *
 * @param property its name
 * @param value the configured value, masked if it is secret; null if there is none
 * @param origin where it was configured, such as file and line
 * @param allowed what is wrong and what is allowed
 */
record Violation(String property, @Nullable String value, @Nullable String origin, String allowed) {

  private static final Pattern NAME_IN_BRACKETS = Pattern.compile("\\[(\\D[^\\].]*)]");
  private static final Set<String> SECRET = Set.of("pass", "secret", "token", "key");

  /** A value that contains a named password, such as one for JAAS. */
  private static final Pattern NAMED =
      Pattern.compile("(?is)(?!jdbc:).*(password|passphrase|secret|token)\\s*=.*");

  static Violation of(
      ConfigurationPropertyName name, @Nullable ConfigurationProperty given, String allowed) {
    if (given == null) {
      return new Violation(text(name), null, null, allowed);
    }
    String origin = given.getOrigin() == null ? null : given.getOrigin().toString();
    return new Violation(text(name), shown(name, given.getValue()), origin, allowed);
  }

  /** The name as written in a file, without brackets. */
  private static String text(ConfigurationPropertyName name) {
    return NAME_IN_BRACKETS.matcher(name.toString()).replaceAll(".$1");
  }

  private static String shown(ConfigurationPropertyName name, @Nullable Object value) {
    String text = String.valueOf(value);
    String last =
        name.getLastElement(ConfigurationPropertyName.Form.UNIFORM).toLowerCase(Locale.ROOT);
    if (SECRET.stream().anyMatch(last::contains) || NAMED.matcher(text).matches()) {
      return "******";
    }
    // parameters of a JDBC URL may contain a password, and so may the part before a host
    return text.replaceFirst("^(jdbc:[^?;]*)[?;].*", "$1?…").replaceFirst("//[^/@]*@", "//…@");
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(property);
    text.append(value == null ? " is not given" : " = " + value);
    if (origin != null) {
      text.append("  (").append(origin).append(')');
    }
    return text.append(System.lineSeparator()).append("    ").append(allowed).toString();
  }
}
