/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.races.Mutation;
import io.forebay.races.Races;
import io.forebay.races.Scenario;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class WaitingRequestsRacesTest {

  /** The service stops while a request begins to wait, for what never comes. */
  static final class Stop implements Scenario {

    private final WaitingRequests waiting = new WaitingRequests(Duration.ofDays(1), 1);

    @Override
    public void run() throws InterruptedException {
      waiting.start();
      Thread request = Thread.ofPlatform().start(this::await);
      waiting.stop();
      request.join();
    }

    private void await() {
      try (WaitingRequests.Permit permit = waiting.enter(Duration.ofDays(1))) {
        permit.await(_ -> LockSupport.park(), () -> false, found -> found);
      }
    }
  }

  @Test
  void noRequestWaitsWhenTheServiceHasStopped() {
    Races.explore(Stop.class, 400);
  }

  @Test
  void findsAStopThatWakesNobody() {
    Races.find(Stop.class, 400, Mutation.withoutCall(WaitingRequests.class, "stop", "forEach"));
  }
}
