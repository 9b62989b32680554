/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.Secrets;
import io.forebay.text.Formats;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/** The configured properties of a service, without secrets. */
final class ServiceSettings {

  private final ConfigurableEnvironment environment;

  ServiceSettings(ConfigurableEnvironment environment) {
    this.environment = environment;
  }

  Map<String, String> of(String service, Duration limit) {
    Map<String, String> settings = new TreeMap<>();
    settings.put("forebay.admin.limits." + service, Formats.duration(limit));
    for (String kind : new String[] {"gateways", "queues", "services", "chronicle.services"}) {
      String prefix = "forebay.%s.%s.".formatted(kind, service);
      for (PropertySource<?> source : environment.getPropertySources()) {
        if (source instanceof EnumerablePropertySource<?> all) {
          for (String name : all.getPropertyNames()) {
            if (name.startsWith(prefix)) {
              settings.put(name, Secrets.hidden(name, environment.getProperty(name, "")));
            }
          }
        }
      }
    }
    return settings;
  }
}
