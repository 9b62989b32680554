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
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** The check with the properties of this module; platform-app tests it with all modules. */
class ConfigurationCheckTest {

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
    InvalidConfiguration refusal =
        catchThrowableOfType(
            InvalidConfiguration.class,
            () -> ConfigurationCheck.check(environment, getClass().getClassLoader()));
    return refusal == null
        ? List.of()
        : refusal.violations().stream().map(it -> it.property() + " " + it.allowed()).toList();
  }

  private List<String> warnings() {
    return logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void acceptsAValidConfiguration() {
    assertThat(check(Map.of("forebay.backend", "memory", "forebay.memory.partitionSize", "2MB")))
        .isEmpty();
  }

  @Test
  void takesVariablesOfTheEnvironmentInBothSpellings() {
    variables(
        Map.of(
            "FOREBAY_BACKEND", "memory",
            "FOREBAY_MEMORY_PARTITIONSIZE", "2MB",
            "FOREBAY_MEMORY_PARTITION_MESSAGES", "5"));
    assertThat(check(Map.of())).isEmpty();
    assertThat(warnings()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"FOREBAY_MEMORY_PARTITIONSIZE", "FOREBAY_MEMORY_PARTITION_SIZE"})
  void aWrongValueInTheEnvironmentIsRefused(String name) {
    variables(Map.of("FOREBAY_BACKEND", "memory", name, "1MB"));
    assertThat(check(Map.of()))
        .containsExactly("forebay.memory.partition-size must be at least 2MB");
  }

  @Test
  void anUnknownVariableIsLoggedUnlessKubernetesMadeIt() {
    variables(
        Map.of(
            "FOREBAY_BACKEND", "memory",
            "FOREBAY_MEMORY_PARTITIONSIZES", "2MB",
            "FOREBAY_PORT", "tcp://10.0.0.1:8080",
            "FOREBAY_PORT_8080_TCP_ADDR", "10.0.0.1",
            "FOREBAY_SERVICE_HOST", "10.0.0.1",
            "FOREBAY_SERVICE_PORT_HTTP", "8080"));
    assertThat(check(Map.of())).isEmpty();
    assertThat(warnings())
        .containsExactly(
            "The environment variable FOREBAY_MEMORY_PARTITIONSIZES is not a property of Forebay; did"
                + " you mean FOREBAY_MEMORY_PARTITIONSIZE?");
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
            "forebay.something.else[0].here is not a property of Forebay; docs/configuration.md lists"
                + " all properties");
  }

  @Test
  void aBackendWithoutItsStarterIsRefusedWithTheStarterToAdd() {
    assertThat(check(Map.of("forebay.backend", "kafka")))
        .containsExactly(
            "forebay.backend needs io.forebay:forebay-starter-kafka, which is missing from the class path; add it to the dependencies");
    assertThat(check(Map.of("forebay.backend", "chronicle")))
        .containsExactly(
            "forebay.backend needs io.forebay:forebay-starter-chronicle, which is missing from the class path; add it to the dependencies");
    assertThat(check(Map.of())).as("memory is the default").isEmpty();
  }

  @Test
  void aPropertyOfAMissingStarterIsRefusedWithTheStarterToAdd() {
    assertThat(check(Map.of("forebay.gateways.shop.partitions", "2")))
        .containsExactly(
            "forebay.gateways.shop.partitions needs io.forebay:forebay-starter-jdbc, which is missing from the class path; add it to the dependencies");
    assertThat(check(Map.of("forebay.security.session-idle", "2h")))
        .containsExactly(
            "forebay.security.session-idle needs io.forebay:forebay-starter-admin, which is missing from the class path; add it to the dependencies");
  }

  @Test
  void aHomeDirectoryIsNotExpanded() {
    assertThat(check(Map.of("forebay.backend", "memory", "forebay.data", "~/forebay")))
        .containsExactly("forebay.data must be a path; your home directory is ${user.home}");
  }

  @Test
  void aWrongIdleStrategyOrCpuOfAServiceIsRefused() {
    assertThat(
            check(
                Map.of(
                    "forebay.backend", "memory",
                    "forebay.services.pricing.idle", "sleep",
                    "forebay.services.pricing.cpus", "two",
                    "forebay.services.pricing.cpu", "2")))
        .satisfiesExactlyInAnyOrder(
            it ->
                assertThat(it)
                    .isEqualTo(
                        "forebay.services.pricing.idle must be one of back-off, yield, spin"),
            it ->
                assertThat(it)
                    .startsWith(
                        "forebay.services.pricing.cpus \"two\" is not a list of CPUs such as 0-1,3"),
            it ->
                assertThat(it)
                    .startsWith("forebay.services.pricing.cpu is not a property of Forebay"));
  }

  @Test
  void reportsWhatTheAnnotationsOfANestedRecordForbid() {
    assertThat(check(Map.of("forebay.services.billing.history-one-in", "-1")))
        .containsExactly(
            "forebay.services.billing.history-one-in must be greater than or equal to 0");
  }
}
