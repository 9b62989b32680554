/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.TestPostgres;
import io.forebay.fault.ServiceArguments.Settings;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * PostgreSQL is killed (SIGKILL, all of its processes) under load and restarted. The queue
 * continues to accept, the service reports that it waits and why, and then performs the backlog
 * automatically.
 */
@Tag("proof")
class DatabaseKilledIT {

  private static final int KILLS = Integer.getInteger("forebay.fault.database-kills", 2);

  @Test
  void nothingIsLostAndTheServiceResumesAutomatically() {
    try (TestPostgres postgres = TestPostgres.start();
        FaultRun run = FaultRun.on(postgres.url(), "database-killed")) {
      System.out.println(run.context());
      run.use(Settings.PLAIN.withMaxBacklog(Long.MAX_VALUE));
      run.databaseIsKilled();
      RunningService service = run.start();
      service.awaitReady();
      for (int kill = 1; kill <= KILLS; kill++) {
        pause(200 + run.random().nextInt(800));
        int mark = service.mark();
        postgres.kill();
        String waiting = service.await(line -> line.matches("state \\d WAITING: .+"), mark);
        assertThat(waiting).contains("database", "SQLState");
        acceptsNow(service);
        if (kill == 2) {
          // also killed, and restarted while the database is down
          service.process().kill();
          service = run.start();
          service.awaitReady();
          mark = service.mark();
          acceptsNow(service);
        }
        postgres.restart();
        for (int partition = 0; partition < ServiceArguments.PARTITIONS; partition++) {
          String running = "state " + partition + " RUNNING";
          service.await(running::equals, partition == waiting.charAt(6) - '0' ? mark : 0);
        }
      }
      service.settle();
      service.drain();
      run.check();
      System.out.printf(
          "PostgreSQL killed %d times, %,d statements acknowledged, none lost, doubled or reordered%n",
          KILLS, run.checked());
    }
  }

  private static void acceptsNow(RunningService service) {
    long before = service.accepted();
    pause(300);
    assertThat(service.accepted()).isGreaterThan(before);
  }

  private static void pause(long millis) {
    LockSupport.parkNanos(millis * 1_000_000);
  }
}
