/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.queue.QueueUnavailable;
import io.forebay.service.ServiceState.Phase;
import io.forebay.spring.hosting.OwnService;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An own service that goes from Chronicle to Kafka and back, and that was away for long. */
class HostedSwitchTest {

  private static final Duration SOON = Duration.ofSeconds(120);
  private static final List<Long> PERFORMED = new CopyOnWriteArrayList<>();
  private static final List<Long> RECEIVED = new CopyOnWriteArrayList<>();

  @TempDir Path data;
  private final TestPostgres postgres = TestPostgres.shared();
  private final String prefix = UUID.randomUUID() + ".";

  interface Numbers {
    void square(long number);
  }

  interface Squares {
    void squared(long number);
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {

    @Bean
    ServiceDefinition<Numbers, Squares> numbers() {
      return ServiceDefinition.of(
          "numbers",
          Numbers.class,
          Squares.class,
          squares ->
              number -> {
                PERFORMED.add(number);
                squares.squared(number * number);
              });
    }

    @Bean
    Squares received() {
      return RECEIVED::add;
    }
  }

  @AfterEach
  void close() {
    postgres.close();
    PERFORMED.clear();
    RECEIVED.clear();
  }

  private interface Steps {
    void run(ConfigurableApplicationContext context) throws Exception;
  }

  private void run(String backend, Steps steps) throws Exception {
    try (ConfigurableApplicationContext context =
        new SpringApplicationBuilder(Application.class)
            .web(WebApplicationType.NONE)
            .run(
                "--spring.main.banner-mode=off",
                "--forebay.data=" + data,
                "--forebay.backend=" + backend,
                "--forebay.kafka.properties.bootstrap.servers=" + TestBroker.shared(),
                "--forebay.kafka.prefix=" + prefix,
                "--forebay.gateways.main.datasource.url=" + postgres.url(),
                "--forebay.gateways.main.datasource.username=forebay_gateway",
                "--forebay.gateways.main.datasource.password=trusted",
                "--forebay.gateways.main.owner.url=" + postgres.url(),
                "--forebay.gateways.main.owner.username=forebay_owner",
                "--forebay.gateways.main.owner.password=trusted")) {
      steps.run(context);
    }
  }

  private static void square(ConfigurableApplicationContext context, long... numbers) {
    awaitPhase(context, Phase.RUNNING);
    Numbers calls = context.getBean(Numbers.class);
    for (long number : numbers) {
      calls.square(number);
    }
  }

  private static void awaitPhase(ConfigurableApplicationContext context, Phase phase) {
    OwnService<?, ?> service = context.getBean(OwnService.class);
    await().atMost(SOON).until(() -> service.state().phase() == phase);
  }

  private static void awaitReceived(Long... squares) {
    await().atMost(SOON).untilAsserted(() -> assertThat(RECEIVED).containsExactly(squares));
  }

  private static void awaitPassed(ConfigurableApplicationContext context, long position) {
    OwnService<?, ?> service = context.getBean(OwnService.class);
    await()
        .atMost(SOON)
        .ignoreExceptionsInstanceOf(QueueUnavailable.class) // a transaction is open
        .until(() -> service.in().passed("numbers", 0).orElse(-1) >= position);
  }

  private static void drain(ConfigurableApplicationContext context) throws Exception {
    awaitPhase(context, Phase.RUNNING);
    assertThat(context.getBean(OwnService.class).drain(SOON)).isTrue();
  }

  @Test
  void aServiceThatWasNotDrainedIsRefusedOnTheOtherBackendAndLosesNothing() throws Exception {
    String[] former = new String[1];
    run(
        "chronicle",
        context -> {
          square(context, 1, 2);
          awaitReceived(1L, 4L);
          OwnService<?, ?> service = context.getBean(OwnService.class);
          former[0] = service.in().identity();
          pause(service, "so that a message stays behind");
          awaitPhase(context, Phase.PAUSED);
          context.getBean(Numbers.class).square(3);
        });
    run(
        "kafka",
        context -> {
          awaitPhase(context, Phase.FAILED);
          OwnService<?, ?> service = context.getBean(OwnService.class);
          assertThat(service.state().reason())
              .contains(
                  "partition 0 of service numbers has performed queue " + former[0] + " up to 2",
                  "has not drained it, but was started with queue " + service.in().identity(),
                  "start it with the previous queue and drain it");
        });
    run(
        "chronicle",
        context -> {
          awaitReceived(1L, 4L, 9L);
          drain(context);
        });
    run(
        "kafka",
        context -> {
          square(context, 4);
          awaitReceived(1L, 4L, 9L, 16L);
          drain(context);
        });
    run(
        "chronicle",
        context -> {
          square(context, 5);
          awaitReceived(1L, 4L, 9L, 16L, 25L);
        });
    assertThat(PERFORMED).containsExactly(1L, 2L, 3L, 4L, 5L);
  }

  @Test
  void answersAreNotHandedOverAgainOnAnotherHost() throws Exception {
    run(
        "kafka",
        context -> {
          square(context, 1, 2, 3);
          awaitReceived(1L, 4L, 9L);
          OwnService<?, ?> service = context.getBean(OwnService.class);
          await().atMost(SOON).until(() -> service.out().passed("answers", 0).orElse(-1) >= 3);
        });
    Files.delete(data.resolve("answers").resolve("numbers.out.properties"));
    run(
        "kafka",
        context -> {
          square(context, 4);
          awaitReceived(1L, 4L, 9L, 16L);
        });
  }

  /** As retention does where the application was away for longer than answers are kept. */
  private void deleteAnswers() throws Exception {
    try (Admin admin = admin()) {
      admin
          .deleteRecords(
              Map.of(
                  new TopicPartition(prefix + "numbers.out", 0), RecordsToDelete.beforeOffset(-1)))
          .all()
          .get();
    }
  }

  private void deletePositions() throws Exception {
    try (Admin admin = admin()) {
      admin
          .deleteConsumerGroups(
              List.of(prefix + "numbers.in-numbers", prefix + "numbers.out-answers"))
          .all()
          .get();
    }
  }

  private static Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", TestBroker.shared()));
  }

  private void execute(String sql) throws Exception {
    try (Connection connection = postgres.owner().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void nothingIsPerformedAgainWhenTheAnswersWereDeletedMeanwhile() throws Exception {
    run(
        "kafka",
        context -> {
          square(context, 1, 2, 3);
          awaitReceived(1L, 4L, 9L);
          awaitPassed(context, 3);
        });
    execute("delete from forebay.hosted_progress");
    deleteAnswers();
    run(
        "kafka",
        context -> {
          square(context, 4);
          awaitReceived(1L, 4L, 9L, 16L);
        });
    deleteAnswers();
    deletePositions();
    run("kafka", HostedSwitchTest::isRefused);
    assertThat(PERFORMED).containsExactly(1L, 2L, 3L, 4L);
  }

  private static void isRefused(ConfigurableApplicationContext context) {
    awaitPhase(context, Phase.FAILED);
    assertThat(context.getBean(OwnService.class).state().reason())
        .contains("the progress of partition 0 of service numbers on queue", "is unknown");
  }

  /** What an operator does if a position is missing. */
  private void beginAgainAt(long position) throws Exception {
    try (Admin admin = admin()) {
      admin.deleteTopics(List.of(prefix + "numbers.out")).all().get();
      admin
          .alterConsumerGroupOffsets(
              prefix + "numbers.in-numbers",
              Map.of(new TopicPartition(prefix + "numbers.in", 0), new OffsetAndMetadata(position)))
          .all()
          .get();
    }
  }

  @Test
  void isRefusedWhereNobodyKnowsHowFarItWasUntilAnOperatorSays() throws Exception {
    run(
        "kafka",
        context -> {
          square(context, 1, 2, 3);
          awaitReceived(1L, 4L, 9L);
        });
    deletePositions();
    run("kafka", HostedSwitchTest::isRefused);
    beginAgainAt(2);
    run("kafka", context -> awaitReceived(1L, 4L, 9L, 9L));
    assertThat(PERFORMED).containsExactly(1L, 2L, 3L, 3L);
  }
}
