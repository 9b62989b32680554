/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.forebay.app.queue.Configured;
import io.forebay.operations.StartRefused;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.context.properties.bind.validation.BindValidationException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.validation.FieldError;
import org.springframework.validation.ObjectError;

/** The errors at a start with a wrong configuration. */
@ExtendWith(OutputCaptureExtension.class)
class WrongConfigurationTest {

  @TempDir Path directory;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  private ConfigurableApplicationContext start(String... arguments) {
    return new SpringApplicationBuilder(Application.class)
        .web(WebApplicationType.NONE)
        .properties("forebay.data=" + directory.resolve("data"))
        .run(arguments);
  }

  private String file(String yaml) throws Exception {
    Path file = Files.writeString(directory.resolve("wrong.yaml"), yaml);
    return "--spring.config.additional-location=file:" + file;
  }

  @ConfigurationPropertiesScan("io.forebay")
  static class Records {}

  /** What Spring Boot finds when it binds each record. */
  private List<String> invalid(String yaml) throws Exception {
    List<String> invalid = new ArrayList<>();
    try (ConfigurableApplicationContext context =
        new SpringApplicationBuilder(Records.class)
            .web(WebApplicationType.NONE)
            .lazyInitialization(true)
            .run(file(yaml))) {
      for (String bean : context.getBeanNamesForAnnotation(ConfigurationProperties.class)) {
        Class<?> type = context.getType(bean);
        if (type != null && !type.isMemberClass()) {
          Throwable failure = catchThrowable(() -> context.getBean(bean));
          if (failure != null
              && failure.getCause().getCause() instanceof BindValidationException e) {
            e.getValidationErrors().forEach(it -> invalid.add(text(e, it)));
          } else {
            assertThat(failure).isNull();
          }
        }
      }
    }
    return invalid;
  }

  private static String text(BindValidationException e, ObjectError error) {
    String name = e.getValidationErrors().getName().toString();
    String field = error instanceof FieldError one ? "." + one.getField() : "";
    return name + field + " " + error.getDefaultMessage();
  }

  @Test
  void eachRecordIsValidatedWhenItIsBound() throws Exception {
    assertThat(
            invalid(
                """
                forebay:
                  chronicle:
                    min-free: -1MB
                    roll-cycle: 7m
                  gateways:
                    orders:
                      partitions: 0
                      migrations: classpath:db
                      datasource:
                        url: jdbc:postgresql://db.example/shop?password=hunter2
                        username: forebay_gateway
                        password: hunter2
                    stock:
                      owner:
                        url: "jdbc:oracle:thin:"
                        username: me
                        password: hunter2
                  kafka:
                    retention: 0
                    properties:
                      sasl.mechanism: PLAIN
                      sasl.jaas.config: 'password="hunter2";'
                      acks: 1
                      max.in.flight.requests.per.connection: 5
                      session.timeout.ms: 6000
                    sender-keys: hunter2
                  door:
                    each-caller: {burst: 5}
                    callers:
                      shop: {rate: 0, max-requests: -1}
                  security:
                    new-admin-token: hunter2!
                    first-token: hunter2
                    oidc:
                      roles: {ops: operator, "[/staff]": boss}
                      statements: {shop: [orders.*, "orders*"]}
                """))
        .containsExactlyInAnyOrder(
            "forebay.security.oidc.roles[/staff] must be viewer, operator or admin",
            "forebay.security.oidc.statements[shop][1] must be the name of a statement, a "
                + "name and .*, chunks: and the name of a service, or *",
            "forebay.chronicle.minFree must be at least 0B",
            "forebay.chronicle.rollCycle must be one of 5m, 10m, 20m, 30m, 1h, 2h, 4h, 6h",
            "forebay.door.callers[shop].maxRequests must be greater than or equal to 1",
            "forebay.door.callers[shop].rate must be greater than or equal to 1",
            "forebay.door.eachCaller.burst needs rate",
            "forebay.gateways[orders].partitions must be greater than or equal to 1",
            "forebay.gateways[orders].owner must be given with datasource: url, username "
                + "and password of the role that owns schema forebay (docs/start.md)",
            "forebay.gateways[orders].migrations is for the embedded database only; migrate "
                + "your own database with your own tools",
            "forebay.gateways[stock].owner is allowed only with datasource: the embedded "
                + "database has its own owner",
            "forebay.gateways[stock].owner.url no JDBC driver on the class path accepts "
                + "this URL; for jdbc:postgresql://host:port/database add "
                + "org.postgresql:postgresql",
            "forebay.kafka.retention must be at least 1h, because older messages are "
                + "deleted, performed or not; to keep messages for ever, set retention.ms=-1 on "
                + "the topic",
            "forebay.kafka.senderKeys each must have at least 32 characters",
            "forebay.kafka.properties.acks must not be set: Forebay sets it so that no "
                + "message is lost, duplicated or reordered",
            "forebay.kafka.properties.max.in.flight.requests.per.connection must not be "
                + "set: Forebay sets it so that no message is lost, duplicated or reordered",
            "forebay.kafka.properties.session.timeout.ms must not be set here: for "
                + "Forebay's groups it is a setting of the brokers; see docs/kafka.md, \"Groups "
                + "and taking over\"",
            "forebay.security.newAdminToken must be at most 90 letters, digits, dots, "
                + "underscores and hyphens",
            "forebay.security.firstToken must be fb_ and 43 letters, digits, hyphens or "
                + "underscores");
  }

  @Test
  void unknownNamesAreReportedAtOnceWithTheirPlaces(CapturedOutput output) throws Exception {
    String refusal =
        catchThrowable(() ->
                start(
                    file(
                        """
                        forebay:
                          chronicle:
                            min-fre: 1GB
                          gateways:
                            stock:
                              partition: 4
                              owner:
                                passwort: hunter2
                                password: ${DATABASE_PASSWORD}
                          kafka:
                            propertie: {sasl.jaas.config: 'password="hunter2";'}
                          door:
                            callers:
                              shop: {rat: 3}
                        """)))
            .getMessage();
    assertThat(refusal.lines().skip(1).map(it -> it.strip().replaceFirst("\\(.* - ", "(")))
        .containsExactlyInAnyOrder(
            "forebay.chronicle.min-fre (3:14) is not a property of Forebay; did you mean"
                + " forebay.chronicle.min-free?",
            "forebay.gateways.stock.partition (6:18) is not a property of Forebay; did you mean"
                + " forebay.gateways.stock.partitions?",
            "forebay.gateways.stock.owner.passwort (8:19) is not a property of Forebay; did you"
                + " mean forebay.gateways.stock.owner.password?",
            "forebay.gateways.stock.owner.password (9:19) refers to ${DATABASE_PASSWORD}, which has"
                + " no value; set it, or write the value itself",
            "forebay.kafka.propertie.sasl.jaas.config (11:35) is not a property of Forebay, or its"
                + " starter is missing from the class path; docs/configuration.md lists all"
                + " properties",
            "forebay.door.callers.shop.rat (14:19) is not a property of Forebay; did you mean"
                + " forebay.door.callers.shop.rate?");
    assertThat(output)
        .contains("APPLICATION FAILED TO START", "docs/configuration.md")
        .doesNotContain("hunter2", "\tat ");
  }

  @Test
  void aStartReportsInvalidValuesWithoutTheValues(CapturedOutput output) {
    Throwable failure =
        catchThrowable(() ->
            start(
                "--forebay.backend=memory",
                "--forebay.gateways.main.datasource.url=jdbc:x:hunter2"));
    assertThat(failure).hasRootCauseInstanceOf(BindValidationException.class);
    assertThat(Configured.reason(failure))
        .as("of a command")
        .contains("forebay.gateways[main].datasource.url no JDBC driver")
        .doesNotContain("hunter2");
    assertThat(output)
        .contains("APPLICATION FAILED TO START", "forebay.gateways.main.datasource.url (\"forebay")
        .doesNotContain("hunter2", "\tat ");
  }

  @ParameterizedTest
  @CsvSource({
    "forebay.backend, rabbit",
    "forebay.gateways.orders.partitions, four",
    "forebay.gateways.orders.statement-timeout, soon"
  })
  void aValueOfTheWrongTypeIsReportedWithItsProperty(
      String property, String value, CapturedOutput output) {
    assertThatThrownBy(
        () -> start("--%s=%s".formatted(property, value), "--forebay.backend=memory"));
    assertThat(output)
        .contains("APPLICATION FAILED TO START", "Property: " + property, "Value: \"" + value);
  }

  @Configuration(proxyBeanMethods = false)
  static class Nothing {}

  @ParameterizedTest
  @ValueSource(strings = {"chronicle", "memory", "demo"})
  void theProfilesAreValid(String profile) {
    new SpringApplicationBuilder(Nothing.class)
        .web(WebApplicationType.NONE)
        .profiles(profile)
        .run()
        .close();
  }

  /** No broker needs to be running for this error. */
  @Test
  void onKafkaAnEmbeddedDatabaseIsRefused() {
    assertThatThrownBy(() ->
            start(
                "--spring.profiles.active=kafka",
                "--forebay.kafka.properties.bootstrap.servers=127.0.0.1:1"))
        .rootCause()
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining("shares its queues with other instances")
        .hasMessageContaining("docs/start.md");
  }
}
