/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.configuration;

import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;

/** Refuses to start an application with an invalid configuration of Forebay. */
final class ConfigurationCheck
    implements ApplicationContextInitializer<ConfigurableApplicationContext>, Ordered {

  /** Runs after the post-processors that may change the environment. */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  /**
   * @throws InvalidConfiguration with all violations
   */
  @Override
  public void initialize(ConfigurableApplicationContext context) {
    ClassLoader classLoader = context.getClassLoader();
    check(
        context.getEnvironment(),
        classLoader == null ? ConfigurationCheck.class.getClassLoader() : classLoader);
  }

  static void check(ConfigurableEnvironment environment, ClassLoader classLoader) {
    PropertyMetadata metadata = PropertyMetadata.of(classLoader);
    Set<Violation> violations = new LinkedHashSet<>();
    violations.addAll(new UnknownNames(metadata).in(environment));
    violations.addAll(Placeholders.unresolved(environment));
    violations.addAll(new Bindings(environment, classLoader).of(metadata.records()));
    if (!violations.isEmpty()) {
      throw new InvalidConfiguration(violations);
    }
  }
}
