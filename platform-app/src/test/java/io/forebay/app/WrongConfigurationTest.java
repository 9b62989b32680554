/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.forebay.operations.StartRefused;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

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

  private String refusal(String... arguments) {
    Throwable refusal = catchThrowable(() -> start(arguments).close());
    assertThat(refusal).isNotNull();
    return refusal.getMessage();
  }

  private String refusalOf(String yaml) throws Exception {
    Path file = Files.writeString(directory.resolve("wrong.yaml"), yaml);
    return refusal("--spring.config.additional-location=file:" + file);
  }

  @Test
  void allViolationsAreReportedAtOnceWithTheirPlaces(CapturedOutput output) throws Exception {
    String refusal =
        refusalOf(
            """
            forebay:
              backend: rabbit
              chronicle:
                level: replicated
                block-size: 65MB
                min-free-fraction: 2
                min-fre: 1GB
                services: {orders: {roll-cycle: 7m}}
              memory:
                partition-size: 64 megs
                partition-messages: many
              gateways:
                orders:
                  partitions: 0
                  statement-timeout: soon
                  migrations: classpath:db
                  datasource:
                    url: jdbc:postgresql://db.example/shop?password=hunter2
                    username: forebay_gateway
                    password: ${DATABASE_PASSWORD}
                stock:
                  partition: 4
                  owner:
                    url: "jdbc:oracle:thin:"
                    username: me
                    password: hunter2
                    passwort: hunter2
              kafka:
                retention: 0
                refuse-after: 0s
                buffer: 512KB
                properties:
                  sasl.mechanism: PLAIN
                  sasl.jaas.config: 'password="hunter2";'
                  acks: 1
                  max.in.flight.requests.per.connection: 5
                  session.timeout.ms: 6000
                propertie: {sasl.jaas.config: 'password="hunter2";'}
                sender-keys: hunter2
              security:
                new-admin-token: hunter2!
                first-token: hunter2
                first-password: hunter2hunter2
                oidc:
                  issuer: http://login.example/realms/shop
                  jwks-uri: file:///etc/keys
                  algorithms: [RS256, HS256]
                  clock-skew: 10m
                  roles: {ops: operator, "[/staff]": boss}
                  statements: {shop: [orders.*, "orders*"]}
            """);
    assertThat(violations(refusal))
        .containsExactlyInAnyOrder(
            "forebay.backend = rabbit | 2:12 | must be one of chronicle, memory, kafka",
            "forebay.chronicle.level = replicated | 4:12 | must be one of process, disk",
            "forebay.chronicle.block-size = 65MB | 5:17 | must be a power of two from 8MB to 1GB",
            "forebay.chronicle.min-free-fraction = 2 | 6:24 | must be less than or equal to 0.99",
            "forebay.chronicle.min-fre = 1GB | 7:14 | is not a property of Forebay; did you mean"
                + " forebay.chronicle.min-free?",
            "forebay.chronicle.services.orders.roll-cycle = 7m | 8:37 | must be one of 5m, 10m, 20m, 30m,"
                + " 1h, 2h, 4h, 6h",
            "forebay.memory.partition-size = 64 megs | 10:21 | must be a size with its unit, such as"
                + " 512KB or 64MB",
            "forebay.memory.partition-messages = many | 11:25 | must be a whole number from"
                + " -2147483648 to 2147483647",
            "forebay.gateways.orders.partitions = 0 | 14:19 | must be greater than or equal to 1",
            "forebay.gateways.orders.statement-timeout = soon | 15:26 | must be a duration with its"
                + " unit, such as 500ms, 30s, 5m or 72h",
            "forebay.gateways.orders.migrations = classpath:db | 16:19 | is for the embedded"
                + " database only; migrate your own database with your own tools",
            "forebay.gateways.orders.owner is not given | must be given with datasource: url,"
                + " username and password of the role that owns schema forebay"
                + " (docs/postgresql.md)",
            "forebay.gateways.orders.datasource.password = ****** | 20:19 | refers to"
                + " ${DATABASE_PASSWORD}, which has no value; set it, or write the value itself",
            "forebay.gateways.stock.partition = 4 | 22:18 | is not a property of Forebay; did you mean"
                + " forebay.gateways.stock.partitions?",
            "forebay.gateways.stock.owner is not given | is allowed only with datasource: the"
                + " embedded database has its own owner",
            "forebay.gateways.stock.owner.url = jdbc:oracle:thin: | 24:14 | no JDBC driver on the"
                + " class path accepts this URL; for jdbc:postgresql://host:port/database add"
                + " org.postgresql:postgresql",
            "forebay.gateways.stock.owner.passwort = ****** | 27:19 | is not a property of Forebay;"
                + " did you mean forebay.gateways.stock.owner.password?",
            "forebay.kafka.retention = 0 | 29:16 | must be at least 1h, because older"
                + " messages are deleted, performed or not; to keep messages for ever, set"
                + " retention.ms=-1 on the topic",
            "forebay.kafka.refuse-after = 0s | 30:19 | must be at least 1s",
            "forebay.kafka.buffer = 512KB | 31:13 | must be at least 2MB, so that the"
                + " largest message fits",
            "forebay.kafka.properties.acks = 1 | 35:13 | must not be set: Forebay sets"
                + " it so that no message is lost, duplicated or reordered",
            "forebay.kafka.properties.max.in.flight.requests.per.connection = 5 |"
                + " 36:46 | must not be set: Forebay sets it so that no message is lost,"
                + " duplicated or reordered",
            "forebay.kafka.properties.session.timeout.ms = 6000 | 37:27 | must not be"
                + " set here: for Forebay's groups it is a setting of the brokers; see"
                + " docs/kafka.md, \"Groups and taking over\"",
            "forebay.kafka.propertie.sasl.jaas.config = ****** | 38:35 | is not a property of Forebay;"
                + " docs/configuration.md lists all properties",
            "forebay.kafka.sender-keys = ****** | 39:18 | each must have at least 32 characters",
            "forebay.security.new-admin-token = ****** | 41:22 | must be at most 90 letters,"
                + " digits, dots, underscores and hyphens",
            "forebay.security.first-token = ****** | 42:18 | must be fb_ and 43 letters, digits,"
                + " hyphens or underscores",
            "forebay.security.first-password = ****** | 43:21 | must have 12 to 200 characters and"
                + " must not be common",
            "forebay.security.oidc.clock-skew = 10m | 48:19 | must be shorter than or equal to 5 minutes",
            "forebay.security.oidc.issuer = http://login.example/realms/shop | 45:15 | must be an"
                + " address with https (http on loopback), without a query, of at most 90 characters",
            "forebay.security.oidc.audience is not given | is required with an issuer",
            "forebay.security.oidc.jwks-uri = file:///etc/keys | 46:17 | must be an address with https"
                + " (http on loopback)",
            "forebay.security.oidc.algorithms[1] = HS256 | 47:27 | must be one of ES256, ES384, ES512,"
                + " PS256, PS384, PS512, RS256, RS384, RS512",
            "forebay.security.oidc.roles./staff = boss | 49:42 | must be viewer, operator or admin",
            "forebay.security.oidc.statements.shop[1] = orders* | 50:37 | must be the name of a"
                + " statement, a name and .*, chunks: and the name of a service, or *");
    assertThat(refusal).doesNotContain("hunter2");
    assertThat(output)
        .contains("APPLICATION FAILED TO START", "docs/configuration.md")
        .doesNotContain("hunter2", "\tat ");
  }

  @Test
  void limitsOfCallersAreChecked() throws Exception {
    String refusal =
        refusalOf(
            """
            spring.main.web-application-type: servlet
            server.port: 0
            forebay:
              door:
                each-caller: {burst: 5}
                callers:
                  shop: {rate: 0, rat: 3, max-streams: -1}
            """);
    assertThat(violations(refusal))
        .containsExactlyInAnyOrder(
            "forebay.door.each-caller.burst = 5 | 5:26 | needs rate",
            "forebay.door.callers.shop.rate = 0 | 7:20 | must be greater than or equal to 1",
            "forebay.door.callers.shop.rat = 3 | 7:28 | is not a property of Forebay; did you mean"
                + " forebay.door.callers.shop.rate?",
            "forebay.door.callers.shop.max-streams = -1 | 7:44 | must be greater than or equal to 0");
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
                "--spring.profiles.active=kafka", "--forebay.kafka.bootstrap-servers=127.0.0.1:1"))
        .rootCause()
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining("shares its queues with other instances")
        .hasMessageContaining("docs/postgresql.md");
  }

  /** Each violation on one line, with line and column of the file in place of the whole origin. */
  private static List<String> violations(String refusal) {
    String[] lines = refusal.split("\\R");
    List<String> violations = new ArrayList<>();
    for (int i = 1; i < lines.length; i += 2) {
      String place = lines[i].replaceFirst(" {2}\\(.* - (\\d+:\\d+)\\)$", " | $1");
      violations.add(place + " | " + lines[i + 1].strip());
    }
    return violations;
  }
}
