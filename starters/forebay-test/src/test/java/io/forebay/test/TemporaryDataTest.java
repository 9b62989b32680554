/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.jdbc.spring.GatewayAutoConfiguration;
import io.forebay.operations.StartRefused;
import io.forebay.system.SystemDatabaseAutoConfiguration;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.test.context.MergedContextConfiguration;

class TemporaryDataTest {

  private static final String SYSTEM = "forebay.system.datasource.url";
  private static final String GATEWAY = "forebay.gateways.orders.datasource.url";
  private static final String APPLICATIONS = "spring.datasource.url";

  private final AnnotationConfigApplicationContext context =
      new AnnotationConfigApplicationContext();
  private final MutablePropertySources sources = context.getEnvironment().getPropertySources();

  /** An application with gateways and the system database, neither of which is started. */
  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({GatewayAutoConfiguration.class, SystemDatabaseAutoConfiguration.class})
  static class Application implements BeanFactoryPostProcessor {

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
      for (String name : beans.getBeanDefinitionNames()) {
        beans.getBeanDefinition(name).setLazyInit(true);
      }
      for (String name : beans.getBeanNamesForType(SmartLifecycle.class, true, false)) {
        ((BeanDefinitionRegistry) beans).removeBeanDefinition(name);
      }
    }
  }

  private static MapPropertySource database(String source, String name) {
    return new MapPropertySource(source, Map.of(name, "jdbc:postgresql://production/forebay"));
  }

  private void start(Class<?>... configurations) {
    ConfigurationPropertySources.attach(context.getEnvironment());
    new TemporaryDataCustomizer()
        .customizeContext(
            context,
            new MergedContextConfiguration(
                TemporaryDataTest.class, new String[0], new Class<?>[0], new String[0], null));
    if (configurations.length > 0) {
      context.register(configurations);
    }
    context.refresh();
    Path data = Path.of(context.getEnvironment().getRequiredProperty("forebay.data"));
    assertThat(data).isDirectory();
    context.close();
    assertThat(data).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        SYSTEM,
        "forebay.system.dataSource.URL",
        GATEWAY,
        "forebay.gateways.orders.owner.url"
      })
  void aDatabaseOfTheApplicationIsRefused(String name) {
    sources.addLast(database("application.yaml", name));
    assertThatThrownBy(() -> start(Application.class))
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining(name.toLowerCase(Locale.ROOT))
        .hasMessageContaining("application.yaml")
        .hasMessageNotContaining("production");
  }

  @ParameterizedTest
  @ValueSource(strings = {SYSTEM, GATEWAY})
  void oneThatTheTestNamesIsNot(String name) {
    sources.addLast(database("application.yaml", name));
    sources.addFirst(database("Inlined Test Properties", name));
    assertThatCode(() -> start(Application.class)).doesNotThrowAnyException();
  }

  @Test
  void theTestMustNameEachOfThem() {
    sources.addLast(database("application.yaml", GATEWAY));
    sources.addFirst(database("Inlined Test Properties", SYSTEM));
    assertThatThrownBy(() -> start(Application.class)).hasMessageContaining(GATEWAY);
  }

  /** What Spring Boot defines if the database of the application is not in a container. */
  @Configuration(proxyBeanMethods = false)
  static class WithDatabase extends Application {

    @Bean
    Object jdbcConnectionDetails() {
      return new Object();
    }
  }

  @Test
  void theDatabaseOfTheApplicationIsRefusedIfAGatewayUsesIt() {
    sources.addLast(database("application.yaml", APPLICATIONS));
    sources.addLast(
        new MapPropertySource("more", Map.of("forebay.gateways.orders.owner.username", "owner")));
    assertThatThrownBy(() -> start(WithDatabase.class)).hasMessageContaining(APPLICATIONS);
  }

  @ParameterizedTest
  @ValueSource(classes = {Application.class, WithDatabase.class})
  void theDatabaseOfTheApplicationIsItsOwnMatterOtherwise(Class<?> application) {
    sources.addLast(database("application.yaml", APPLICATIONS));
    if (application == Application.class) { // in a container
      sources.addLast(
          new MapPropertySource("more", Map.of("forebay.gateways.orders.owner.username", "owner")));
    } else {
      sources.addFirst(database("Inlined Test Properties", GATEWAY));
    }
    assertThatCode(() -> start(application)).doesNotThrowAnyException();
  }

  @Test
  void aTestWithoutDatabasesIgnoresThem() {
    sources.addLast(database("application.yaml", GATEWAY));
    assertThatCode(() -> start()).doesNotThrowAnyException();
  }
}
