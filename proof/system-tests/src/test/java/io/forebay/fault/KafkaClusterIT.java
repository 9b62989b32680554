/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.database.TestPostgres;
import io.forebay.fault.ServiceArguments.Settings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three brokers; one after the other is killed (SIGKILL) under load. */
@Tag("proof")
class KafkaClusterIT {

  private static final int KILLS = Integer.getInteger("forebay.fault.kafka-broker-kills", 1);

  @Test
  void nothingIsLostAndTheServiceContinuesWhileABrokerIsDown() {
    try (TestCluster cluster = TestCluster.start();
        TestPostgres postgres = TestPostgres.shared();
        FaultRun run = FaultRun.onKafka(cluster.bootstrap(), postgres.url(), "cluster")) {
      System.out.println(run.context());
      run.use(Settings.PLAIN);
      RunningService service = run.start();
      service.awaitReady();
      for (int kill = 0; kill < KILLS; kill++) {
        int victim = (kill + run.random().nextInt(2)) % cluster.size();
        mustGoOn(service);
        cluster.awaitInSync();
        cluster.broker(victim).kill();
        mustGoOn(service);
        cluster.broker(victim).restart();
      }
      mustGoOn(service);
      service.settle();
      service.drain();
      run.check();
      System.out.printf(
          "of three brokers one was killed, %d times, %,d statements acknowledged, none lost,"
              + " doubled or reordered%n",
          KILLS, run.checked());
    }
  }

  /** Checks progress: it accepts more than the maximum backlog, so it must also perform. */
  private static void mustGoOn(RunningService service) {
    long before = service.accepted();
    service.until(() -> service.accepted() > before + 2 * Settings.PLAIN.maxBacklog());
  }
}
