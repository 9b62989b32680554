/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.TestPostgres;
import io.forebay.fault.ServiceArguments.Settings;
import io.forebay.kafka.broker.BrokerProcess;
import io.forebay.kafka.broker.TestBroker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Several instances on one broker: instances take over partitions that another one leaves or is too
 * slow for.
 */
@Tag("proof")
class KafkaTakeOverIT {

  /** The limit for the lock of a hanging transaction. */
  private static final Duration HUNG_TRANSACTION = Duration.ofSeconds(5);

  private static final Pattern FENCED =
      Pattern.compile(
          ".*(was taken over by|was reassigned to another instance)"
              + ".*; this instance has stopped working on the partition");

  @ParameterizedTest
  @ValueSource(strings = {"before-commit", "between-answers"})
  void anInstanceSuspendedInATransactionIsFencedWhenItContinues(String crashPoint) {
    try (TestPostgres postgres = TestPostgres.shared();
        FaultRun run = FaultRun.onKafka(TestBroker.shared(), postgres.url(), "zombie")) {
      System.out.println(run.context());
      run.use(Settings.PLAIN);
      RunningService second = run.start();
      second.awaitReady();
      RunningService first =
          run.start(Optional.of(crashPoint + ":" + (10 + run.random().nextInt(20)) + ":stop"));
      first.until(first.process()::isSuspended);

      TakeOvers takeOvers = new TakeOvers();
      Duration longest = takeOvers.measure(first, () -> {}, List.of(second));
      assertThat(takeOvers.count()).isPositive();
      assertThat(longest).isLessThan(TakeOvers.WITHIN.plus(HUNG_TRANSACTION).plus(TakeOvers.BUSY));

      first.process().resume();
      first.until(() -> first.process().errors().stream().anyMatch(FENCED.asMatchPredicate()));
      first.leave();
      second.settle();
      second.drain();
      run.check();
      System.out.printf(
          "stopped at %s, taken over after %d ms: %,d statements acknowledged, none lost, doubled"
              + " or reordered%n",
          crashPoint, longest.toMillis(), run.checked());
    }
  }

  @Test
  void instancesComeAndGoUnderLoad() {
    try (TestPostgres postgres = TestPostgres.shared();
        FaultRun run = FaultRun.onKafka(TestBroker.shared(), postgres.url(), "come-and-go")) {
      System.out.println(run.context());
      run.use(Settings.PLAIN);
      RunningService first = run.start();
      RunningService restless = run.start();
      first.awaitReady();
      restless.awaitReady();
      // stops or restarts every second
      restless.tell(ServiceProcess.Command.CHURN, "churning");
      RunningService third = run.start();
      third.awaitReady();
      KafkaKillIT.pause(3_000);
      first.leave();
      KafkaKillIT.pause(3_000);
      restless.tell(ServiceProcess.Command.STEADY, "steady");
      restless.until(() -> !restless.running().isEmpty() && !third.running().isEmpty());
      third.leave();
      restless.settle();
      restless.drain();
      run.check();
      System.out.printf(
          "instances came and went: %,d statements acknowledged, none lost, doubled or"
              + " reordered%n",
          run.checked());
    }
  }

  /** Slow: with a broker's default settings, one take-over takes 45 s. */
  @Test
  @EnabledIfSystemProperty(named = "forebay.fault.kafka-defaults", matches = "true")
  void takesOverWithinAMinuteWithTheDefaultsOfABroker() {
    Map<String, String> defaults =
        Map.of(
            "group.consumer.min.heartbeat.interval.ms", "5000",
            "group.consumer.heartbeat.interval.ms", "5000",
            "group.consumer.min.session.timeout.ms", "45000",
            "group.consumer.session.timeout.ms", "45000");
    try (BrokerProcess broker = TestBroker.start(FaultRun.temporary("broker"), defaults);
        TestPostgres postgres = TestPostgres.shared();
        FaultRun run = FaultRun.onKafka(broker.bootstrap(), postgres.url(), "defaults")) {
      run.use(Settings.PLAIN);
      TakeOvers takeOvers = new TakeOvers();
      for (int kill = 0; kill < 3; kill++) {
        RunningService victim = run.start();
        RunningService other = run.start();
        victim.until(() -> !victim.running().isEmpty());
        other.until(() -> !other.running().isEmpty());
        // Performing statements accepted meanwhile would take long.
        victim.tell(ServiceProcess.Command.SILENCE, "silent");
        other.tell(ServiceProcess.Command.SILENCE, "silent");
        takeOvers.measure(victim, victim.process()::kill, List.of(other));
        other.settle();
        other.drain();
      }
      run.check();
      System.out.println("with the defaults of a broker: " + takeOvers);
      assertThat(takeOvers.percentile(100)).isLessThan(Duration.ofSeconds(60));
    }
  }
}
