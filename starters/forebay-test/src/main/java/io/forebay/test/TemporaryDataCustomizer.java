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
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
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

/**
 * Sets the properties of {@link TemporaryData}; its equality lets tests share a context.
 *
 * @param jobs whether the operator of jobs waits for the end of each execution
 */
record TemporaryDataCustomizer(boolean jobs) implements ContextCustomizer {

  private static final String NAME = "forebay-test";
  private static final ConfigurationPropertyName DATABASE =
      ConfigurationPropertyName.of("forebay.system.datasource.url");

  @Override
  public void customizeContext(
      ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
    Path data = create();
    MutablePropertySources sources = context.getEnvironment().getPropertySources();
    MapPropertySource ours =
        new MapPropertySource(
            NAME,
            Map.of(
                "forebay.backend",
                "memory",
                "forebay.data",
                data.toString(),
                JobTestAutoConfiguration.ENABLED,
                jobs));
    String inlined = TestPropertySourceUtils.INLINED_PROPERTIES_PROPERTY_SOURCE_NAME;
    if (sources.contains(inlined)) {
      sources.addAfter(inlined, ours);
    } else {
      sources.addFirst(ours);
    }
    context.addBeanFactoryPostProcessor(_ -> refuseDatabaseOfOthers(sources));
    context.addApplicationListener(event -> {
      if (event instanceof ContextClosedEvent) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(data)));
      }
    });
  }

  /**
   * A test that takes part in the jobs of a running system does harm, so its system database is the
   * embedded one or one that the test itself names. Its own properties precede those of the system.
   */
  private static void refuseDatabaseOfOthers(MutablePropertySources sources) {
    boolean ofTheTest = true;
    for (PropertySource<?> source : sources) {
      ofTheTest &= !source.getName().equals(SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
      ConfigurationProperty found = database(source);
      if (found != null && ofTheTest) {
        return;
      }
      if (found != null) {
        throw new StartRefused(
            "A test must not use the system database of the application (%s, %s): move the property to a profile that tests do not have, or set it in the properties of the test"
                .formatted(DATABASE, found.getOrigin()));
      }
    }
  }

  private static @Nullable ConfigurationProperty database(PropertySource<?> source) {
    if (!ConfigurationPropertySources.isAttachedConfigurationPropertySource(source)) {
      for (ConfigurationPropertySource names : ConfigurationPropertySources.from(source)) {
        ConfigurationProperty found =
            names == null ? null : names.getConfigurationProperty(DATABASE);
        if (found != null) {
          return found;
        }
      }
    }
    return null;
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
      return TestContextAnnotationUtils.hasAnnotation(test, TemporaryData.class)
          ? new TemporaryDataCustomizer(
              TestContextAnnotationUtils.hasAnnotation(test, ForebayJobTest.class))
          : null;
    }
  }
}
