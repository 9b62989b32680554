/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.TestPostgres;
import io.forebay.fault.CommitProxy.Fault;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * COMMITs on PostgreSQL whose answer never arrives: performed or not, at once or later. The service
 * determines the outcome each time.
 */
@Tag("proof")
class LostCommitIT {

  private static final int LOST = Integer.getInteger("forebay.fault.lost-commits", 20);
  private static final int COMMITS_PER_FAULT = 12;

  /** The faults, most frequent first; the last two cost seconds. */
  private static final List<Fault> FAULTS =
      List.of(
          Fault.ANSWER_LOST,
          Fault.COMMIT_LOST,
          Fault.COMMIT_LATE,
          Fault.ANSWER_LOST,
          Fault.COMMIT_LOST,
          Fault.COMMIT_LATE,
          Fault.ANSWER_LOST,
          Fault.COMMIT_LATE,
          Fault.ANSWER_SWALLOWED,
          Fault.COMMIT_NEVER);

  @Test
  void eachCommitInDoubtIsResolvedCorrectly() throws IOException {
    try (TestPostgres postgres = TestPostgres.shared();
        FaultRun run = FaultRun.on(postgres.url(), "lost-commits")) {
      System.out.println(run.context());
      Semaphore struck = new Semaphore(0);
      Plan plan = new Plan(run.random(), struck);
      URI server = URI.create(postgres.url().substring("jdbc:".length()));
      try (CommitProxy proxy = new CommitProxy(server.getPort(), "forebay_gateway", plan::next)) {
        String through =
            "jdbc:postgresql://127.0.0.1:%d%s?socketTimeout=3"
                .formatted(proxy.port(), server.getPath());
        RunningService service = run.start(Optional.empty(), through);
        service.awaitReady();
        int kills = 0;
        for (int lost = 1; lost <= LOST; lost++) {
          service.until(struck::tryAcquire);
          if (lost % 8 == 0) {
            // killed before it has determined the outcome
            service.process().kill();
            kills++;
            service = run.start(Optional.empty(), through);
            service.awaitReady();
          }
        }
        plan.end();
        service.settle();
        service.drain();
        run.check();
        System.out.printf(
            "%s, %d kills in doubt, %,d statements acknowledged, none lost, doubled or reordered%n",
            proxy.done(), kills, run.checked());
        assertThat(struckBy(proxy.done())).isGreaterThanOrEqualTo(LOST);
        assertThat(proxy.done()).containsOnlyKeys(Fault.values());
      }
    }
  }

  private static int struckBy(Map<Fault, Integer> done) {
    return done.entrySet().stream()
        .filter(fault -> fault.getKey() != Fault.NONE)
        .mapToInt(Map.Entry::getValue)
        .sum();
  }

  /** Selects the COMMITs that suffer a fault. Thread-safe. */
  private static final class Plan {

    private final RandomGenerator random;
    private final Semaphore struck;
    private int faults;
    private int commits;
    private boolean ended;

    Plan(RandomGenerator random, Semaphore struck) {
      this.random = random;
      this.struck = struck;
    }

    synchronized Fault next() {
      if (ended || ++commits < COMMITS_PER_FAULT || random.nextInt(4) > 0) {
        return Fault.NONE;
      }
      commits = 0;
      struck.release();
      return FAULTS.get(faults++ % FAULTS.size());
    }

    synchronized void end() {
      ended = true;
    }
  }
}
