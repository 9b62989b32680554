/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.configuration;

import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.PlaceholderResolutionException;

/**
 * Finds values with unresolved placeholders. Binding would use the placeholder itself as the value,
 * and a password would be {@code ${…}}.
 */
final class Placeholders {

  private static final ConfigurationPropertyName ROOT =
      ConfigurationPropertyName.of(PropertyMetadata.ROOT);

  private Placeholders() {}

  static List<Violation> unresolved(ConfigurableEnvironment environment) {
    List<Violation> unresolved = new ArrayList<>();
    for (var source : ConfigurationPropertySources.get(environment)) {
      if (source instanceof IterableConfigurationPropertySource names) {
        for (ConfigurationPropertyName name : names.filter(ROOT::isAncestorOf)) {
          ConfigurationProperty given = source.getConfigurationProperty(name);
          if (given != null && given.getValue() instanceof CharSequence value) {
            try {
              environment.resolveRequiredPlaceholders(value.toString());
            } catch (PlaceholderResolutionException e) {
              unresolved.add(Violation.of(name, given, advice(e)));
            }
          }
        }
      }
    }
    return unresolved;
  }

  private static String advice(PlaceholderResolutionException e) {
    return "refers to ${"
        + e.getPlaceholder()
        + "}, which has no value; set it, or write the value itself";
  }
}
