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
import org.junit.jupiter.api.Test;

/**
 * Two instances, sometimes three or four, share the partitions of a gateway on a Kafka broker.
 * Under load instances are killed (SIGKILL) at random moments and at each of the crash points,
 * stopped until others have taken over and let go on, and the broker is killed and started again.
 * What was acknowledged has its effect once and its result once, in order.
 *
 * <p>Blows come in pairs: while an instance is on its way to the crash point where it dies, another
 * one is struck, or the broker. {@code -Dforebay.fault.kafka-cycles=200} does it more often.
 */
class KafkaKillIT {

  private static final int CYCLES = Integer.getInteger("forebay.fault.kafka-cycles", 20);
  private static final int CYCLES_PER_CHECK = 20;
  private static final int PAIR = 2;

  /** What is done to an instance, or the broker, in turn; beside the crash points. */
  private enum Blow {
    BROKER_KILLED,
    KILLED,
    STOPPED
  }

  private final Map<String, Integer> blows = new TreeMap<>();
  private final TakeOvers takeOvers = new TakeOvers();
  private long acknowledged;
  private int pairs;

  @Test
  void kafkaHasEveryAcknowledgedStatementOnceAndInOrder() {
    // A session of a broker that was killed must be over before it is let in again.
    Map<String, String> properties = Map.of("broker.session.timeout.ms", "2000");
    try (BrokerProcess broker = TestBroker.start("killed-broker", properties)) {
      for (int cycle = 0; cycle < CYCLES; ) {
        try (TestPostgres postgres = TestPostgres.shared();
            FaultRun run = FaultRun.onKafka(broker.bootstrap(), postgres.url(), "kafka")) {
          System.out.println(run.context());
          run.use(Settings.random(run.random()));
          List<RunningService> living = new ArrayList<>(List.of(run.start(), run.start()));
          living.forEach(RunningService::awaitReady);
          for (int end = Math.min(CYCLES, cycle + CYCLES_PER_CHECK); cycle < end; cycle += PAIR) {
            run.use(Settings.random(run.random()));
            strike(run, living, broker);
          }
          heal(run, living);
          acknowledged += run.checked();
          System.out.printf(
              "kafka: %d of %d cycles %s, %,d statements acknowledged, none lost, doubled or"
                  + " reordered; %s%n",
              cycle, CYCLES, blows, acknowledged, takeOvers);
        }
      }
    }
    assertThat(takeOvers.count()).isPositive();
    assertThat(takeOvers.percentile(99)).isLessThan(TakeOvers.WITHIN.plus(TakeOvers.BUSY));
    if (CYCLES >= PAIR * CrashPoints.ON_KAFKA.size()) {
      assertThat(blows).containsKeys(CrashPoints.ON_KAFKA.toArray(String[]::new));
    }
  }

  /** The partitions of an instance that dies at a crash point go back to the others. */
  private void strike(FaultRun run, List<RunningService> living, BrokerProcess broker) {
    String point = CrashPoints.ON_KAFKA.get(pairs % CrashPoints.ON_KAFKA.size());
    int times = 1 + run.random().nextInt(CrashPoints.often(point) / ServiceArguments.PARTITIONS);
    RunningService dying = run.start(Optional.of(point + ":" + times));
    Blow blow = Blow.values()[pairs++ % Blow.values().length];
    switch (blow) {
      case BROKER_KILLED -> kill(broker, run, living.getFirst());
      case KILLED -> killOne(run, living, dying);
      case STOPPED -> stopOne(run, living);
    }
    assertThat(dying.awaitEnd(RunningService.PATIENCE))
        .as(() -> "its end at " + point + dying.account())
        .contains(137);
    count(point);
    living.forEach(RunningService::awaitReady);
  }

  private void kill(BrokerProcess broker, FaultRun run, RunningService witness) {
    pause(run.random().nextInt(3_000));
    broker.kill();
    broker.restart();
    long before = witness.accepted();
    witness.until(() -> witness.accepted() > before);
    count("broker killed");
  }

  private void killOne(FaultRun run, List<RunningService> living, RunningService dying) {
    RunningService victim = living.remove(run.random().nextInt(living.size()));
    living.add(run.start()); // as whoever looks after the instances does, a moment before
    pause(run.random().nextInt(3_000));
    List<RunningService> others = new ArrayList<>(living);
    others.add(dying); // it may be the one, for a while
    takeOvers.measure(victim, victim::kill, others);
    count("killed");
  }

  private void stopOne(FaultRun run, List<RunningService> living) {
    pause(run.random().nextInt(3_000));
    RunningService victim = living.get(run.random().nextInt(living.size()));
    victim.stop();
    victim.awaitStopped();
    pause(1_000 + run.random().nextInt(4_000)); // less than its session, or more
    victim.go();
    count("stopped");
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
