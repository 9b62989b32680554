/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.jdbc.Receipt;
import io.forebay.queue.QueueFailed;
import io.forebay.races.Mutation;
import io.forebay.races.Races;
import io.forebay.races.Scenario;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AcceptancesRacesTest {

  private static final UUID ID = new UUID(7, 7);
  private static final Receipt RECEIPT = new Receipt(0, 3, ID);

  private abstract static class Client implements Scenario {

    final Object lock = new Object();
    final Outstanding outstanding = OutstandingRacesTest.outstanding();
    final Acceptances acceptances = new Acceptances(lock, outstanding);
    volatile boolean appended;

    /** What the client does when it sends: the queue has the statement before the call returns. */
    Pending<Long> send() {
      synchronized (lock) {
        appended = true;
        Pending<Long> pending = new Pending<>(null, null, 1);
        acceptances.expect(1, 0, ID, new ExpectedResult<>(pending, ResultCollector::count));
        return pending;
      }
    }

    /** What the reader does with the result of the statement, if there is one yet. */
    @Nullable ExpectedResult<?> read() {
      while (true) {
        try {
          return acceptances.remove(RECEIPT);
        } catch (Acceptances.NotPlacedYet e) {
          Thread.yield();
        }
      }
    }
  }

  /** The result is read before the position of its statement is known. */
  static final class EarlyResult extends Client {

    @Override
    public void run() throws InterruptedException {
      ExpectedResult<?>[] found = {null};
      boolean[] wasThere = {false};
      Thread reader =
          Thread.ofPlatform()
              .start(() -> {
                wasThere[0] = appended;
                if (wasThere[0]) {
                  found[0] = read();
                }
              });
      send();
      acceptances.acknowledged(0, 1, 3);
      reader.join();
      Races.check(found[0] != null || !wasThere[0], "a result found no future");
    }
  }

  /** The queue fails while a caller gives its statement up: nothing is kept. */
  static final class FailureAndCancel extends Client {

    @Override
    public void run() throws InterruptedException {
      Pending<Long> pending = send();
      Thread queue =
          Thread.ofPlatform()
              .start(() -> acceptances.failed(1, 1, new QueueFailed("the broker is away", null)));
      acceptances.forget(1);
      queue.join();
      Races.check(acceptances.size() == 0, "a statement is still expected");
      Races.check(acceptances.remove(RECEIPT) == null, "a future is still there: " + pending);
    }
  }

  @Test
  void aResultThatIsReadEarlyFindsItsFuture() {
    Races.explore(EarlyResult.class, 400);
  }

  @Test
  void aStatementThatFailsOrIsGivenUpIsNotKept() {
    Races.explore(FailureAndCancel.class, 200);
  }

  @Test
  void findsAReaderThatDoesNotWaitForThePosition() {
    Races.find(
        EarlyResult.class, 400, Mutation.withoutCall(Acceptances.class, "remove", "containsKey"));
  }
}
