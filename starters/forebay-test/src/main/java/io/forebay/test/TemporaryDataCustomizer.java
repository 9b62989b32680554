/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import static org.springframework.core.env.StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME;

import io.forebay.operations.StartRefused;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.support.TestPropertySourceUtils;
import org.springframework.util.FileSystemUtils;

/** Keeps the data of a {@link ForebayTest}; its equality lets tests share a context. */
record TemporaryDataCustomizer() implements ContextCustomizer {

  private static final String NAME = "forebay-test";
  private static final ConfigurationPropertyName SYSTEM =
      ConfigurationPropertyName.of("forebay.system");
  private static final ConfigurationPropertyName GATEWAYS =
      ConfigurationPropertyName.of("forebay.gateways");

  private static final ConfigurationPropertyName APPLICATIONS =
      ConfigurationPropertyName.of("spring.datasource.url");

  /** The bean of Spring Boot with {@link #APPLICATIONS}; missing if a container precedes it. */
  private static final String APPLICATIONS_DATABASE = "jdbcConnectionDetails";

  private static final String SYSTEM_DATABASE = "forebaySystemDatabase";

  @Override
  public void customizeContext(
      ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
    Path data = create();
    MutablePropertySources sources = context.getEnvironment().getPropertySources();
    Map<String, Object> properties = new HashMap<>();
    properties.put("forebay.backend", "memory");
    properties.put("forebay.data", data.toString());
    MapPropertySource ours = new MapPropertySource(NAME, properties);
    String inlined = TestPropertySourceUtils.INLINED_PROPERTIES_PROPERTY_SOURCE_NAME;
    if (sources.contains(inlined)) {
      sources.addAfter(inlined, ours);
    } else {
      sources.addFirst(ours);
    }
    context.addBeanFactoryPostProcessor(beans -> {
      if (beans.containsBeanDefinition(SYSTEM_DATABASE)) {
        refuseDatabasesOfOthers(
            sources,
            beans.containsBeanDefinition(APPLICATIONS_DATABASE)
                && usesApplications(context.getEnvironment()));
      }
    });
    if (context.getBeanFactory() instanceof DefaultSingletonBeanRegistry beans) {
      beans.registerDisposableBean(NAME, () -> delete(data)); // the first one is destroyed last
    }
  }

  /**
   * A test that takes part in the jobs of a running system, or in its gateways, does harm. So each
   * database is the embedded one, or one that the test itself names. The test's own properties
   * precede those of the system.
   *
   * @param springs whether Forebay also uses the application's own database, and properties say
   *     where it is
   */
  private static void refuseDatabasesOfOthers(MutablePropertySources sources, boolean springs) {
    Set<ConfigurationPropertyName> ofTheTest = new HashSet<>();
    boolean others = false;
    for (PropertySource<?> source : sources) {
      others |= source.getName().equals(SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
      for (ConfigurationProperty database : databases(source, springs).toList()) {
        if (!others) {
          ofTheTest.add(database.getName());
        } else if (!ofTheTest.contains(database.getName())) {
          throw new StartRefused(
              "A test must not use a database of the application (%s, %s): move the property to a profile that tests do not have, or set it in the properties of the test"
                  .formatted(database.getName(), database.getOrigin()));
        }
      }
    }
  }

  /** The addresses of databases that Forebay uses, if they are in this source. */
  private static Stream<ConfigurationProperty> databases(
      PropertySource<?> source, boolean springs) {
    return properties(source)
        .filter(it -> isForebays(it, "url") || springs && it.getName().equals(APPLICATIONS));
  }

  /** Whether a role of Forebay connects to the application's own database. */
  private static boolean usesApplications(ConfigurableEnvironment environment) {
    return environment.getPropertySources().stream()
        .flatMap(TemporaryDataCustomizer::properties)
        .filter(it -> isForebays(it, "username"))
        .anyMatch(it -> !environment.containsProperty(it.getName().getParent() + ".url"));
  }

  private static boolean isForebays(ConfigurationProperty property, String last) {
    ConfigurationPropertyName name = property.getName();
    return (SYSTEM.isAncestorOf(name) || GATEWAYS.isAncestorOf(name))
        && name.getLastElement(Form.UNIFORM).equals(last);
  }

  private static Stream<ConfigurationProperty> properties(PropertySource<?> source) {
    if (ConfigurationPropertySources.isAttachedConfigurationPropertySource(source)) {
      return Stream.of();
    }
    return StreamSupport.stream(ConfigurationPropertySources.from(source).spliterator(), false)
        .filter(IterableConfigurationPropertySource.class::isInstance)
        .map(IterableConfigurationPropertySource.class::cast)
        .flatMap(
            names -> names.stream().map(names::getConfigurationProperty).filter(Objects::nonNull));
  }

  private static Path create() {
    try {
      return Files.createTempDirectory(NAME);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path data) {
    try {
      FileSystemUtils.deleteRecursively(data);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Finds the annotation. */
  static final class Factory implements ContextCustomizerFactory {

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
        Class<?> test, List<ContextConfigurationAttributes> attributes) {
      return TestContextAnnotationUtils.hasAnnotation(test, ForebayTest.class)
          ? new TemporaryDataCustomizer()
          : null;
    }
  }
}
