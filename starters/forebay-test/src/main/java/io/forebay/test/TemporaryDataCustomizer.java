/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
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
    context.addApplicationListener(event -> {
      if (event instanceof ContextClosedEvent) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(data)));
      }
    });
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
