/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.configuration;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Finds names under {@code forebay} that nothing reads. An unknown environment variable is logged
 * and does not prevent the start, because others create such variables too: Kubernetes does for a
 * service of that name.
 */
final class UnknownNames {

  private static final Logger log = LoggerFactory.getLogger(UnknownNames.class);
  private static final String ANY = "*";
  private static final String VARIABLE = "FOREBAY_";
  private static final Pattern MADE_BY_KUBERNETES =
      Pattern.compile("FOREBAY(_[A-Z0-9_]+)?_(SERVICE_(HOST|PORT).*|PORT(_\\d+_.*)?)|FOREBAY_PORT");

  /** System properties of Forebay's own build and tests. */
  private static final Set<String> OF_THE_BUILD = Set.of("docs", "test");

  /** The starter that brings each group of properties, by its first name. */
  private static final Map<String, String> STARTERS =
      Map.ofEntries(
          Map.entry("chronicle", "chronicle"),
          Map.entry("kafka", "kafka"),
          Map.entry("gateways", "jdbc"),
          Map.entry("default-gateway", "jdbc"),
          Map.entry("door", "jdbc"),
          Map.entry("system", "jdbc"),
          Map.entry("audit", "jdbc"),
          Map.entry("jobs", "batch"),
          Map.entry("chunks", "batch"),
          Map.entry("admin", "admin"),
          Map.entry("security", "admin"));

  private final List<String> allowed;
  private final List<String[]> patterns;

  /** The patterns in the form in which names are compared. */
  private final List<String[]> uniformPatterns;

  UnknownNames(PropertyMetadata metadata) {
    allowed = metadata.names();
    patterns = allowed.stream().map(name -> name.split("\\.")).toList();
    uniformPatterns = allowed.stream().map(name -> uniform(name).split("\\.")).toList();
  }

  Collection<Violation> in(ConfigurableEnvironment environment) {
    Map<ConfigurationPropertyName, Violation> unknown = new LinkedHashMap<>();
    if (allowed.isEmpty()) {
      log.warn(
          "the class path has no META-INF/spring-configuration-metadata.json of Forebay: names are"
              + " not checked (was it compiled without its annotation processor?)");
      return unknown.values();
    }
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      if (source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource variables) {
        warn(variables);
      } else if (source instanceof IterableConfigurationPropertySource names) {
        names.stream()
            .filter(name -> isOurs(name) && !isAllowed(name))
            .filter(name -> !isOfTheBuild(name, source))
            .forEach(name ->
                unknown.putIfAbsent(
                    name, Violation.of(name, source.getConfigurationProperty(name), advice(name))));
      }
    }
    return unknown.values();
  }

  private static boolean isOurs(ConfigurationPropertyName name) {
    return name.getNumberOfElements() > 1 && element(name, 0).equals(PropertyMetadata.ROOT);
  }

  private static boolean isOfTheBuild(
      ConfigurationPropertyName name, ConfigurationPropertySource source) {
    return OF_THE_BUILD.contains(element(name, 1))
        && source.getUnderlyingSource() instanceof PropertySource<?> properties
        && properties.getSource() == System.getProperties();
  }

  private static String element(ConfigurationPropertyName name, int index) {
    return name.getElement(index, ConfigurationPropertyName.Form.DASHED);
  }

  private boolean isAllowed(ConfigurationPropertyName name) {
    List<String> elements = elements(name);
    return uniformPatterns.stream().anyMatch(pattern -> matches(pattern, elements));
  }

  /** The elements of a name without list indexes. */
  private static List<String> elements(ConfigurationPropertyName name) {
    List<String> elements = new ArrayList<>();
    for (int i = 0; i < name.getNumberOfElements(); i++) {
      if (!name.isNumericIndex(i)) {
        elements.add(name.getElement(i, ConfigurationPropertyName.Form.UNIFORM));
      }
    }
    return elements;
  }

  /**
   * Whether a name matches. A user-chosen name at the end may contain dots, such as the properties
   * of Kafka.
   */
  private static boolean matches(String[] pattern, List<String> elements) {
    boolean open = pattern[pattern.length - 1].equals(ANY) && elements.size() > pattern.length;
    if (pattern.length != elements.size() && !open) {
      return false;
    }
    for (int i = 0; i < pattern.length; i++) {
      if (!pattern[i].equals(ANY) && !pattern[i].equals(elements.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static String uniform(String element) {
    return element.replace("-", "").toLowerCase(Locale.ROOT);
  }

  private String advice(ConfigurationPropertyName name) {
    String group = element(name, 1);
    String starter = STARTERS.get(group);
    if (starter != null && patterns.stream().noneMatch(pattern -> pattern[1].equals(group))) {
      return "needs io.forebay:forebay-starter-%s, which is missing from the class path; add it to the dependencies"
          .formatted(starter);
    }
    return NearestName.to(name.toString(), candidates(name))
        .map(nearest -> "is not a property of Forebay; did you mean " + nearest + "?")
        .orElse("is not a property of Forebay; docs/configuration.md lists all properties");
  }

  /** The allowed names, with the user's own text in place of user-chosen names. */
  private List<String> candidates(ConfigurationPropertyName name) {
    return patterns.stream()
        .map(pattern -> {
          String[] candidate = pattern.clone();
          for (int i = 0; i < candidate.length; i++) {
            if (candidate[i].equals(ANY)) {
              candidate[i] =
                  pattern.length == name.getNumberOfElements() ? element(name, i) : "<name>";
            }
          }
          return String.join(".", candidate);
        })
        .toList();
  }

  private void warn(SystemEnvironmentPropertySource variables) {
    for (String variable : variables.getPropertyNames()) {
      if (variable.startsWith(VARIABLE)
          && !MADE_BY_KUBERNETES.matcher(variable).matches()
          && patterns.stream().noneMatch(pattern -> isVariable(variable, pattern))) {
        log.warn(
            "The environment variable {} is not a property of Forebay{}",
            variable,
            meant(variable));
      }
    }
  }

  private static boolean isVariable(String variable, String[] pattern) {
    StringBuilder expression = new StringBuilder();
    for (String element : pattern) {
      expression
          .append(expression.isEmpty() ? "" : "_")
          .append(element.equals(ANY) ? ".+" : Pattern.quote(element).replace("-", "\\E_?\\Q"));
    }
    return Pattern.compile(expression + "(_\\d+_?)?", Pattern.CASE_INSENSITIVE)
        .matcher(variable)
        .matches();
  }

  private String meant(String variable) {
    List<String> variables =
        allowed.stream()
            .map(name -> name.replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT))
            .toList();
    return NearestName.to(variable, variables).map(it -> "; did you mean " + it + "?").orElse("");
  }
}
