/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.queue.QueueRefused;
import io.forebay.races.Mutation;
import io.forebay.races.Races;
import io.forebay.races.Scenario;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PendingResultsRacesTest {

  /** The protocol of the calls. */
  public interface Stock {
    CompletableFuture<Long> count(String item);
  }

  private abstract static class Waiting implements Scenario {

    private static final Protocol<Stock> STOCK = Protocol.of(Stock.class);

    final UUID id = new UUID(7, 7);
    volatile boolean receives = true;
    final PendingResults<Stock> results = new PendingResults<>(STOCK, 10, this::mustReceive);

    private void mustReceive() {
      if (!receives) {
        throw new QueueRefused(
            QueueRefused.Reason.UNAVAILABLE, 1, Duration.ofMillis(1), "no results are received");
      }
    }

    void end() {
      receives = false;
      results.failAll(new ResultUnknown("ended", null));
    }

    void isFailedOrRefused() {
      PendingResult<Long> pending;
      try {
        pending = results.expect(id, Long.class);
      } catch (QueueRefused _) {
        return;
      }
      pending.exceptionally(_ -> -1L).join();
      Races.check(pending.isCompletedExceptionally(), "it completed with a result");
    }
  }

  /** The receiver of results ends while a result is asked for: nobody waits for ever. */
  static final class End extends Waiting {

    @Override
    public void run() throws InterruptedException {
      Thread receiver = Thread.ofPlatform().start(this::end);
      isFailedOrRefused();
      receiver.join();
      Races.settle();
      Races.check(results.size() == 0, "still counted: " + results.size());
    }
  }

  /** Two ask for the same result while one gives up. */
  static final class Share extends Waiting {

    @Override
    public void run() throws InterruptedException {
      PendingResult<Long> first = results.expect(id, Long.class);
      Thread other = Thread.ofPlatform().start(this::isFailedOrRefused);
      Thread receiver = Thread.ofPlatform().start(this::end);
      first.cancel(true);
      other.join();
      receiver.join();
      Races.settle();
      Races.check(results.size() == 0, "still counted: " + results.size());
      Races.check(results.sent() == 0, "still known: " + results.sent());
    }
  }

  /** A result arrives while the receiver ends and one of two gives up. */
  static final class Receive extends Waiting {

    @Override
    public void run() throws InterruptedException {
      PendingResult<Long> first = results.expect(id, Long.class);
      PendingResult<Long> second = results.expect(id, Long.class);
      Thread receiver =
          Thread.ofPlatform()
              .start(() -> {
                first.received(1L);
                second.received(1L);
              });
      Thread ending = Thread.ofPlatform().start(this::end);
      second.cancel(true);
      receiver.join();
      ending.join();
      Races.settle();
      Races.check(first.isDone() && second.isDone(), "a future is not complete");
      Races.check(results.size() == 0, "still counted: " + results.size());
      Races.check(results.sent() == 0, "still known: " + results.sent());
    }
  }

  @Test
  void aResultThatIsAskedForWhenTheReceiverEndsFailsOrIsRefused() {
    Races.explore(End.class, 400);
  }

  @Test
  void whoeverGivesUpIsCountedOnce() {
    Races.explore(Share.class, 400);
    Races.explore(Receive.class, 300);
  }

  @Test
  void findsAnEndThatAWaitingCallMisses() {
    Races.find(
        End.class, 400, Mutation.withoutCall(PendingResults.class, "failAll", "incrementAndGet"));
  }
}
