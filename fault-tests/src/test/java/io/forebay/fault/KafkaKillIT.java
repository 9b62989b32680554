/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.fault.ServiceArguments.Settings;
import io.forebay.jdbc.TestPostgres;
import io.forebay.kafka.broker.BrokerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Two instances, sometimes three, share the partitions of a gateway on a Kafka broker. Under load
 * instances are killed (SIGKILL) at random moments and at each of the crash points, stopped until
 * others have taken over and let go on, told to leave, and the broker is killed and started again.
 * What was acknowledged has its effect once and its result once, in order.
 *
 * <p>{@code -Dforebay.fault.kafka-cycles=200} does it more often.
 */
@EnabledIfSystemProperty(named = "forebay.fault.kafka", matches = "true")
class KafkaKillIT {

  private static final int CYCLES = Integer.getInteger("forebay.fault.kafka-cycles", 20);
  private static final int CYCLES_PER_RUN = 20;
  private static final int CYCLES_PER_CHECK = 10;

  /** What is done, in turn. */
  private enum Blow {
    CRASH_POINT,
    BROKER_KILLED,
    CRASH_POINT_AGAIN,
    KILLED,
    STOPPED
  }

  private final Map<String, Integer> blows = new TreeMap<>();
  private final TakeOvers takeOvers = new TakeOvers();
  private long acknowledged;
  private int points;

  @Test
  void kafkaHasEveryAcknowledgedStatementOnceAndInOrder() {
    // A session of a broker that was killed must be over before it is let in again.
    Map<String, String> properties = Map.of("broker.session.timeout.ms", "2000");
    try (BrokerProcess broker = TestBroker.start("killed-broker", properties)) {
      for (int cycle = 0; cycle < CYCLES; ) {
        try (TestPostgres postgres = TestPostgres.shared();
            FaultRun run = FaultRun.onKafka(broker.bootstrap(), postgres.url(), "kafka")) {
          System.out.println(run.context());
          int end = Math.min(CYCLES, cycle + CYCLES_PER_RUN);
          List<RunningService> living = new ArrayList<>();
          while (cycle < end) {
            run.use(Settings.random(run.random()));
            while (living.size() < 2) {
              living.add(run.start());
            }
            living.forEach(RunningService::awaitReady);
            strike(Blow.values()[cycle % Blow.values().length], run, living, broker);
            if (++cycle % CYCLES_PER_CHECK == 0 || cycle == end) {
              heal(run, living);
            }
          }
          acknowledged += run.checked();
          System.out.printf(
              "kafka: %d of %d cycles %s, %,d statements acknowledged, none lost, doubled or"
                  + " reordered; %s%n",
              cycle, CYCLES, blows, acknowledged, takeOvers);
        }
      }
    }
    assertThat(takeOvers.percentile(99)).isLessThan(TakeOvers.WITHIN.plus(TakeOvers.BUSY));
    if (CYCLES >= CYCLES_PER_RUN) {
      assertThat(blows).containsKeys(CrashPoints.ALL.toArray(String[]::new));
    }
  }

  private void strike(Blow blow, FaultRun run, List<RunningService> living, BrokerProcess broker) {
    RandomGenerator random = run.random();
    pause(random.nextInt(800));
    switch (blow) {
      case CRASH_POINT, CRASH_POINT_AGAIN ->
          killAtPoint(run, living, CrashPoints.ALL.get(points++ % CrashPoints.ALL.size()));
      case KILLED -> {
        RunningService victim = living.remove(random.nextInt(living.size()));
        living.add(run.start()); // as whoever looks after the instances does, a moment before
        pause(random.nextInt(3_000));
        takeOvers.measure(victim, victim::kill, living);
        count("killed");
      }
      case STOPPED -> {
        RunningService victim = living.get(random.nextInt(living.size()));
        victim.stop();
        victim.awaitStopped();
        pause(1_000 + random.nextInt(5_000)); // less than its session, or more
        victim.go();
        count("stopped");
      }
      case BROKER_KILLED -> {
        broker.kill();
        pause(random.nextInt(500));
        broker.restart();
        long before = living.getFirst().accepted();
        living.getFirst().until(() -> living.getFirst().accepted() > before);
        count("broker killed");
      }
    }
  }

  /** A third instance, of whose work the others take over what they had given to it. */
  private void killAtPoint(FaultRun run, List<RunningService> living, String point) {
    int times = 1 + run.random().nextInt(CrashPoints.often(point) / ServiceArguments.PARTITIONS);
    RunningService victim = run.start(Optional.of(point + ":" + times));
    assertThat(victim.awaitEnd(RunningService.PATIENCE))
        .as(() -> "its end at " + point + victim.account())
        .contains(137);
    count(point);
  }

  private void count(String blow) {
    blows.merge(blow, 1, Integer::sum);
  }

  /** Lets the last one perform what is left, and checks. */
  private static void heal(FaultRun run, List<RunningService> living) {
    RunningService last = living.removeLast();
    living.forEach(RunningService::leave);
    living.clear();
    last.settle();
    last.drain();
    run.check();
  }

  static void pause(long millis) {
    LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
  }
}
