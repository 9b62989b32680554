/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.configuration;

import io.forebay.operations.StartRefused;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.PlaceholderResolutionException;

/**
 * Refuses to start an application with a name under {@code forebay} that nothing reads, or with a
 * placeholder that has no value: binding would use the placeholder itself, such as {@code ${…}} as
 * a password. An unknown environment variable is only logged, because others create such variables
 * too: Kubernetes does for a service of that name.
 */
final class UnknownNames
    implements ApplicationContextInitializer<ConfigurableApplicationContext>, Ordered {

  static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(PropertyMetadata.ROOT);

  private static final Logger log = LoggerFactory.getLogger(UnknownNames.class);
  private static final String ANY = "*";
  private static final String VARIABLE = "FOREBAY_";
  private static final Pattern MADE_BY_KUBERNETES =
      Pattern.compile("FOREBAY(_[A-Z0-9_]+)?_(SERVICE_(HOST|PORT).*|PORT(_\\d+_.*)?)|FOREBAY_PORT");

  /** System properties of Forebay's own build and tests. */
  private static final Pattern OF_THE_BUILD = Pattern.compile("forebay\\.(docs|test)\\..*");

  /** Runs after the post-processors that may change the environment. */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  /**
   * @throws StartRefused with all names
   */
  @Override
  public void initialize(ConfigurableApplicationContext context) {
    ClassLoader classLoader = context.getClassLoader();
    check(
        context.getEnvironment(),
        classLoader == null ? UnknownNames.class.getClassLoader() : classLoader);
  }

  static void check(ConfigurableEnvironment environment, ClassLoader classLoader) {
    List<Known> known = PropertyMetadata.of(classLoader).names().stream().map(Known::of).toList();
    if (known.isEmpty()) {
      log.warn(
          "the class path has no META-INF/spring-configuration-metadata.json of Forebay: names are"
              + " not checked (was it compiled without its annotation processor?)");
      return;
    }
    Map<ConfigurationPropertyName, String> errors = new LinkedHashMap<>();
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      Object underlying = source.getUnderlyingSource();
      if (underlying instanceof SystemEnvironmentPropertySource variables) {
        warn(variables, known);
      }
      if (source instanceof IterableConfigurationPropertySource names) {
        for (ConfigurationPropertyName name : names.filter(ROOT::isAncestorOf)) {
          ConfigurationProperty given = source.getConfigurationProperty(name);
          String error = unresolved(given, environment);
          if (error == null && !(underlying instanceof SystemEnvironmentPropertySource)) {
            error = unknown(name, known);
          }
          if (error != null) {
            errors.putIfAbsent(name, place(given) + error);
          }
        }
      }
    }
    if (!errors.isEmpty()) {
      throw new StartRefused(
          errors.entrySet().stream()
              .map(it -> "%n  ".formatted() + it.getKey() + it.getValue())
              .collect(
                  Collectors.joining(
                      "", "The configuration of Forebay is wrong; nothing was started:", "")));
    }
  }

  private static String place(@Nullable ConfigurationProperty given) {
    return given == null || given.getOrigin() == null ? " " : " (" + given.getOrigin() + ") ";
  }

  private static @Nullable String unresolved(
      @Nullable ConfigurationProperty given, ConfigurableEnvironment environment) {
    if (given == null || !(given.getValue() instanceof CharSequence value)) {
      return null;
    }
    try {
      environment.resolveRequiredPlaceholders(value.toString());
      return null;
    } catch (PlaceholderResolutionException e) {
      return "refers to ${%s}, which has no value; set it, or write the value itself"
          .formatted(e.getPlaceholder());
    }
  }

  private static @Nullable String unknown(ConfigurationPropertyName name, List<Known> known) {
    String uniform = uniform(name);
    if (known.stream().anyMatch(it -> it.property().matcher(uniform).matches())
        || OF_THE_BUILD.matcher(name.toString()).matches()) {
      return null;
    }
    List<String> groups = known.stream().map(it -> group(it.name())).toList();
    return NearestName.to(group(name.toString()), groups)
        .flatMap(_ -> NearestName.to(name.toString(), candidates(name, known)))
        .map(nearest -> "is not a property of Forebay; did you mean " + nearest + "?")
        .orElse(
            "is not a property of Forebay, or its starter is missing from the class path;"
                + " docs/configuration.md lists all properties");
  }

  /** The first two elements. */
  private static String group(String name) {
    return Stream.of(name.split("\\.")).limit(2).collect(Collectors.joining("."));
  }

  private static String element(ConfigurationPropertyName name, int index) {
    return name.getElement(index, ConfigurationPropertyName.Form.DASHED);
  }

  /** The elements of a name, without list indexes. */
  private static String uniform(ConfigurationPropertyName name) {
    List<String> elements = new ArrayList<>();
    for (int i = 0; i < name.getNumberOfElements(); i++) {
      if (!name.isNumericIndex(i)) {
        String element = name.getElement(i, ConfigurationPropertyName.Form.UNIFORM);
        elements.add(element.replace('.', '_'));
      }
    }
    return String.join(".", elements);
  }

  /** The known names, with the user's own text in place of user-chosen names. */
  private static List<String> candidates(ConfigurationPropertyName name, List<Known> known) {
    return known.stream()
        .map(it -> {
          String[] candidate = it.name().split("\\.");
          for (int i = 0; i < candidate.length; i++) {
            if (candidate[i].equals(ANY)) {
              candidate[i] =
                  candidate.length == name.getNumberOfElements() ? element(name, i) : "<name>";
            }
          }
          return String.join(".", candidate);
        })
        .toList();
  }

  private static void warn(SystemEnvironmentPropertySource variables, List<Known> known) {
    List<String> names = known.stream().map(Known::variableName).toList();
    Stream.of(variables.getPropertyNames())
        .filter(it -> it.startsWith(VARIABLE) && !MADE_BY_KUBERNETES.matcher(it).matches())
        .filter(it -> {
          String uniform = it.replace("_", "").toLowerCase(Locale.ROOT);
          return known.stream().noneMatch(each -> each.variable().matcher(uniform).matches());
        })
        .forEach(it ->
            log.warn(
                "The environment variable {} is not a property of Forebay{}",
                it,
                NearestName.to(it, names).map(near -> "; did you mean " + near + "?").orElse("")));
  }

  /**
   * A name that may be given. A user-chosen name at the end may contain dots, such as the
   * properties of Kafka.
   *
   * @param name with a star in place of each name that the user chooses
   * @param property matches names without hyphens and list indexes
   * @param variable matches names of variables without underscores
   */
  private record Known(String name, Pattern property, Pattern variable) {

    static Known of(String name) {
      String uniform = name.replace("-", "").toLowerCase(Locale.ROOT);
      return new Known(
          name,
          Pattern.compile(
              uniform.replace(".", "\\.").replaceFirst("\\*$", ".+").replace(ANY, "[^.]+")),
          Pattern.compile(uniform.replace(".", "").replace(ANY, ".+") + "\\d*"));
    }

    String variableName() {
      return name.replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT);
    }
  }
}
