/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.operations.StartRefused;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.test.context.MergedContextConfiguration;

class TemporaryDataTest {

  private final GenericApplicationContext context = new GenericApplicationContext();
  private final MutablePropertySources sources = context.getEnvironment().getPropertySources();

  private static MapPropertySource database(String source, String name) {
    return new MapPropertySource(source, Map.of(name, "jdbc:postgresql://production/forebay"));
  }

  private void start() {
    new TemporaryDataCustomizer(true)
        .customizeContext(
            context,
            new MergedContextConfiguration(
                TemporaryDataTest.class, new String[0], new Class<?>[0], new String[0], null));
    context.refresh();
    context.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"forebay.system.datasource.url", "forebay.system.dataSource.URL"})
  void theSystemDatabaseOfTheApplicationIsRefused(String name) {
    sources.addLast(database("application.yaml", name));
    assertThatThrownBy(this::start)
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining("forebay.system.datasource.url")
        .hasMessageContaining("application.yaml")
        .hasMessageNotContaining("production");
  }

  @Test
  void oneThatTheTestNamesIsNot() {
    sources.addLast(database("application.yaml", "forebay.system.datasource.url"));
    sources.addFirst(database("Inlined Test Properties", "forebay.system.datasource.url"));
    assertThatCode(this::start).doesNotThrowAnyException();
  }
}
