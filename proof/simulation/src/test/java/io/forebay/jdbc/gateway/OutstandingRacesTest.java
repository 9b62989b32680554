/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.jdbc.Receipt;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.races.Mutation;
import io.forebay.races.Races;
import io.forebay.races.Scenario;
import java.lang.reflect.Proxy;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OutstandingRacesTest {

  private static UUID id(long position) {
    return new UUID(7, position);
  }

  private static Receipt receipt(long position) {
    return new Receipt(0, position, id(position));
  }

  private abstract static class Results implements Scenario {

    final Outstanding outstanding = new Outstanding(out());

    /** An out-queue of one partition. */
    private static MessageQueue out() {
      return (MessageQueue)
          Proxy.newProxyInstance(
              MessageQueue.class.getClassLoader(),
              new Class<?>[] {MessageQueue.class},
              (_, method, _) ->
                  switch (method.getName()) {
                    case "name" -> "out";
                    case "partitions" -> 1;
                    default -> throw new UnsupportedOperationException(method.getName());
                  });
    }

    /** What the client does when it sends; the ticket is the position. */
    Pending<Long> send(long position, boolean isKnown) {
      Pending<Long> pending =
          new Pending<>(
              outstanding,
              new Pending.Sent(null, position, 0, id(position)),
              ResultCollector::count);
      outstanding.add(pending);
      if (isKnown) {
        outstanding.acknowledged(0, position, position);
      }
      return pending;
    }
  }

  /** Results were deleted before they were read, while their futures are added. */
  static final class Overtaken extends Results {

    @Override
    public void run() throws InterruptedException {
      Thread reader =
          Thread.ofPlatform()
              .start(() -> {
                outstanding.overtaken(0);
                outstanding.read(0, 5);
              });
      Pending<Long> missed = send(3, true);
      Pending<Long> kept = send(5, true);
      reader.join();
      Races.check(missed.isCompletedExceptionally(), "a future waits for a deleted result");
      Races.check(!kept.isDone(), "a future failed whose result is kept");
      Races.check(outstanding.size() == 1, "a failed future is kept");
    }
  }

  /** The result is read before the position is known. */
  static final class EarlyResult extends Results {

    private volatile boolean appended;

    @Override
    public void run() throws InterruptedException {
      Pending<?>[] found = {null};
      boolean[] wasThere = {false};
      Thread reader =
          Thread.ofPlatform()
              .start(() -> {
                wasThere[0] = appended;
                if (wasThere[0]) {
                  found[0] = read();
                }
              });
      send(3, false);
      appended = true;
      outstanding.acknowledged(0, 3, 3);
      reader.join();
      Races.check(found[0] != null || !wasThere[0], "a result found no future");
    }

    private @Nullable Pending<?> read() {
      while (true) {
        try {
          return outstanding.take(receipt(3));
        } catch (Outstanding.NotPlacedYet e) {
          Thread.yield();
        }
      }
    }
  }

  /** The queue fails while a caller gives its statement up: nothing is kept. */
  static final class FailureAndCancel extends Results {

    @Override
    public void run() throws InterruptedException {
      Pending<Long> pending = send(3, false);
      Thread queue =
          Thread.ofPlatform()
              .start(() -> outstanding.failed(3, 3, new QueueFailed("the broker is away", null)));
      pending.cancel(false);
      queue.join();
      Races.check(outstanding.size() == 0, "a statement is still expected");
      Races.check(outstanding.take(receipt(3)) == null, "a future is still there");
    }
  }

  @Test
  void aFutureFailsIfItsResultWasDeleted() {
    Races.explore(Overtaken.class, 400);
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
  void findsAFutureThatIsNotComparedWithWhatWasDeleted() {
    Races.find(Overtaken.class, 300, Mutation.withoutCall(Outstanding.class, "place", "forget"));
  }

  @Test
  void findsAReaderThatForgetsWhoseResultsWereDeleted() {
    Races.find(Overtaken.class, 300, Mutation.withoutCall(Outstanding.class, "read", "forEach"));
  }

  @Test
  void findsAReaderThatDoesNotWaitForThePosition() {
    Races.find(EarlyResult.class, 400, Mutation.withoutCall(Outstanding.class, "take", "anyMatch"));
  }
}
