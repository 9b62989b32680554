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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two to four instances share the partitions of a gateway on a Kafka broker. Under load, instances
 * are killed (SIGKILL) at random moments and at each of the crash points, or suspended until others
 * have taken over and then continued; the broker is killed and restarted. Every acknowledged
 * statement takes effect once and has one result, in order.
 *
 * <p>Faults come in pairs: while an instance runs towards its crash point, a second fault hits
 * another instance or the broker. {@code -Dforebay.fault.kafka-cycles=200} runs more cycles.
 */
@Tag("proof")
class KafkaKillIT {

  private static final int CYCLES = Integer.getInteger("forebay.fault.kafka-cycles", 6);
  private static final int CYCLES_PER_CHECK = 20;
  private static final int PAIR = 2;

  /** The faults of an instance or the broker, in turn, besides the crash points. */
  private enum Fault {
    BROKER_KILLED,
    KILLED,
    STOPPED
  }

  private final Map<String, Integer> faults = new TreeMap<>();
  private final TakeOvers takeOvers = new TakeOvers();
  private long acknowledged;

  /** From any crash point on, so that all builds together reach all of them. */
  private int pairs = new Random().nextInt(CrashPoints.ON_KAFKA.size());

  @Test
  void onKafkaEveryAcknowledgedStatementIsThereOnceAndInOrder() {
    // After a kill, a broker can only rejoin when its old session has expired.
    Map<String, String> properties = Map.of("broker.session.timeout.ms", "2000");
    try (BrokerProcess broker = TestBroker.start(FaultRun.temporary("broker"), properties)) {
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
              cycle, CYCLES, faults, acknowledged, takeOvers);
        }
      }
    }
    assertThat(takeOvers.count()).isPositive();
    assertThat(takeOvers.percentile(99)).isLessThan(TakeOvers.WITHIN.plus(TakeOvers.BUSY));
    if (CYCLES >= PAIR * CrashPoints.ON_KAFKA.size()) {
      assertThat(faults).containsKeys(CrashPoints.ON_KAFKA.toArray(String[]::new));
    }
  }

  /** Injects a fault while an instance dies at a crash point; its partitions move to the others. */
  private void strike(FaultRun run, List<RunningService> living, BrokerProcess broker) {
    String point = CrashPoints.ON_KAFKA.get(pairs % CrashPoints.ON_KAFKA.size());
    int times = 1 + run.random().nextInt(CrashPoints.often(point) / ServiceArguments.PARTITIONS);
    RunningService dying = run.start(Optional.of(point + ":" + times));
    Fault fault = Fault.values()[pairs++ % Fault.values().length];
    switch (fault) {
      case BROKER_KILLED -> kill(broker, run, living.getFirst());
      case KILLED -> killOne(run, living, dying);
      case STOPPED -> stopOne(run, living);
    }
    dying.process().awaitEnd(137);
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
    living.add(run.start()); // as an orchestrator would, a moment earlier
    pause(run.random().nextInt(3_000));
    RunningService victim = withPartitions(run, living);
    living.remove(victim);
    List<RunningService> others = new ArrayList<>(living);
    others.add(dying); // it may take over for a while
    takeOvers.measure(victim, victim.process()::kill, others);
    count("killed");
  }

  /** One that performs a partition, so that a take-over can be measured. */
  private static RunningService withPartitions(FaultRun run, List<RunningService> living) {
    List<RunningService> found = new ArrayList<>();
    living
        .getFirst()
        .until(() -> {
          found.clear();
          living.stream().filter(it -> !it.running().isEmpty()).forEach(found::add);
          return !found.isEmpty();
        });
    return found.get(run.random().nextInt(found.size()));
  }

  private void stopOne(FaultRun run, List<RunningService> living) {
    pause(run.random().nextInt(3_000));
    RunningService victim = living.get(run.random().nextInt(living.size()));
    victim.process().suspend();
    pause(1_000 + run.random().nextInt(4_000)); // shorter or longer than its session time-out
    victim.process().resume();
    count("stopped");
  }

  private void count(String fault) {
    faults.merge(fault, 1, Integer::sum);
  }

  /** Lets the last instance perform the rest, and checks. */
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
