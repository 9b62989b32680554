/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.forebay.operations.StartRefused;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** The checks with the properties of this module; platform-app tests them with all modules. */
class ConfigurationTest {

  private static final Logger LOG = (Logger) LoggerFactory.getLogger(UnknownNames.class);

  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final StandardEnvironment environment = new StandardEnvironment();

  @AfterEach
  void detach() {
    LOG.detachAppender(logged);
    System.clearProperty("forebay.test.seed");
    System.clearProperty("forebay.dat");
  }

  private void variables(Map<String, Object> variables) {
    environment
        .getPropertySources()
        .replace(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
  }

  private List<String> check(Map<String, Object> properties) {
    LOG.addAppender(logged);
    logged.start();
    environment.getPropertySources().addFirst(new MapPropertySource("given", properties));
    ConfigurationPropertySources.attach(environment);
    StartRefused refusal =
        catchThrowableOfType(
            StartRefused.class, () -> UnknownNames.check(environment, getClass().getClassLoader()));
    return lines(refusal == null ? null : refusal.getMessage());
  }

  /** The lines after the first one, without the place of each property. */
  private static List<String> lines(@Nullable String message) {
    return message == null
        ? List.of()
        : message.lines().skip(1).map(it -> it.strip().replaceFirst(" \\(.*?\\)", "")).toList();
  }

  @ConfigurationPropertiesScan("io.forebay.spring")
  static class Records {}

  /** What is wrong with the values, as the start reports it. */
  private static List<String> invalid(String... properties) {
    List<String> lines = new ArrayList<>();
    AtomicReference<Environment> environment = new AtomicReference<>();
    new ApplicationContextRunner()
        .withInitializer(context -> environment.set(context.getEnvironment()))
        .withUserConfiguration(Records.class)
        .withPropertyValues(properties)
        .run(context -> {
          if (context.getStartupFailure() != null) {
            FailureAnalysis analysis =
                new InvalidValues(environment.get()).analyze(context.getStartupFailure());
            lines.addAll(lines(Objects.requireNonNull(analysis).getDescription()));
          }
        });
    return lines;
  }

  private List<String> warnings() {
    return logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void acceptsAValidConfiguration() {
    assertThat(check(Map.of("forebay.backend", "memory", "forebay.watch.limit", "2s"))).isEmpty();
  }

  @Test
  void takesVariablesOfTheEnvironment() {
    variables(Map.of("FOREBAY_BACKEND", "memory", "FOREBAY_WATCH_LIMITS_LARGE_ORDERS", "2s"));
    assertThat(check(Map.of())).isEmpty();
    assertThat(warnings()).isEmpty();
  }

  @Test
  void aPlaceholderWithoutAValueIsRefused() {
    assertThat(check(Map.of("forebay.data", "${NOT_GIVEN}/data")))
        .containsExactly(
            "forebay.data refers to ${NOT_GIVEN}, which has no value; set it, or write the value"
                + " itself");
  }

  @Test
  void anUnknownVariableIsLoggedUnlessKubernetesMadeIt() {
    variables(
        Map.of(
            "FOREBAY_BACKEND", "memory",
            "FOREBAY_WATCH_LIMITT", "2s",
            "FOREBAY_PORT", "tcp://10.0.0.1:8080",
            "FOREBAY_PORT_8080_TCP_ADDR", "10.0.0.1",
            "FOREBAY_SERVICE_HOST", "10.0.0.1",
            "FOREBAY_SERVICE_PORT_HTTP", "8080"));
    assertThat(check(Map.of())).isEmpty();
    assertThat(warnings())
        .containsExactly(
            "The environment variable FOREBAY_WATCH_LIMITT is not a property of Forebay;"
                + " did you mean FOREBAY_WATCH_LIMIT?");
  }

  @Test
  void anUnknownNameIsRefusedFromTheCommandLineToo() {
    System.setProperty("forebay.dat", "/tmp");
    assertThat(check(Map.of("forebay.backend", "memory")))
        .containsExactly("forebay.dat is not a property of Forebay; did you mean forebay.data?");
  }

  @Test
  void propertiesOfOurOwnTestsAreIgnored() {
    System.setProperty("forebay.test.seed", "1");
    assertThat(check(Map.of("forebay.backend", "memory"))).isEmpty();
  }

  @Test
  void aNameUnlikeAnyGetsNoAdvice() {
    assertThat(check(Map.of("forebay.backend", "memory", "forebay.something.else[0].here", "x")))
        .containsExactly(
            "forebay.something.else[0].here is not a property of Forebay, or its starter is missing"
                + " from the class path; docs/configuration.md lists all properties");
  }

  @Test
  void aBackendWithoutItsStarterIsRefusedWithTheStarterToAdd() {
    for (String backend : List.of("kafka", "chronicle")) {
      assertThat(invalid("forebay.backend=" + backend))
          .containsExactly(
              "forebay.backend needs io.forebay:forebay-starter-%s, which is missing from the class path; add it to the dependencies"
                  .formatted(backend));
    }
    assertThat(invalid()).as("memory is the default").isEmpty();
  }

  @Test
  void aPropertyOfAMissingStarterIsRefused() {
    for (String name :
        List.of("forebay.gateways.shop.partitions", "forebay.security.session-lifetime")) {
      assertThat(check(Map.of(name, "2")))
          .containsExactly(
              name
                  + " is not a property of Forebay, or its starter is missing from the class path;"
                  + " docs/configuration.md lists all properties");
    }
  }

  @Test
  void aHomeDirectoryIsNotExpanded() {
    assertThat(invalid("forebay.data=~/forebay"))
        .containsExactly("forebay.data must be a path; your home directory is ${user.home}");
  }
}
