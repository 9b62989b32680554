/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.jdbc.Receipt;
import io.forebay.queue.MessageQueue;
import io.forebay.races.Mutation;
import io.forebay.races.Races;
import io.forebay.races.Scenario;
import java.lang.reflect.Proxy;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OutstandingRacesTest {

  private static final UUID ID = new UUID(7, 7);

  /** No future, on an out-queue of one partition. */
  static Outstanding outstanding() {
    return new Outstanding(
        (MessageQueue)
            Proxy.newProxyInstance(
                MessageQueue.class.getClassLoader(),
                new Class<?>[] {MessageQueue.class},
                (_, method, _) ->
                    switch (method.getName()) {
                      case "name" -> "out";
                      case "partitions" -> 1;
                      default -> throw new UnsupportedOperationException(method.getName());
                    }));
  }

  private abstract static class Results implements Scenario {

    final Outstanding outstanding = outstanding();

    Pending<Long> place(long position) {
      Pending<Long> pending = new Pending<>(null, null, position);
      outstanding.place(
          new Receipt(0, position, ID), new ExpectedResult<>(pending, ResultCollector::count));
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
      Pending<Long> missed = place(3);
      Pending<Long> kept = place(5);
      reader.join();
      Races.check(missed.isCompletedExceptionally(), "a future waits for a deleted result");
      Races.check(!kept.isDone(), "a future failed whose result is kept");
      Races.check(outstanding.size() == 1, "a failed future is kept");
    }
  }

  /** The result is read while its future is added: it is found when it was handed over. */
  static final class ReadAtOnce extends Results {

    @Override
    public void run() throws InterruptedException {
      Receipt receipt = new Receipt(0, 3, ID);
      ExpectedResult<?>[] found = {null};
      boolean[] wasHandedOver = {false};
      Thread reader =
          Thread.ofPlatform()
              .start(() -> {
                wasHandedOver[0] = outstanding.isHandedOver(receipt);
                found[0] = outstanding.remove(receipt);
              });
      place(3);
      outstanding.handedOver(0, 3);
      reader.join();
      Races.check(
          found[0] != null || !wasHandedOver[0], "a future that was handed over is not found");
    }
  }

  @Test
  void aFutureFailsIfItsResultWasDeleted() {
    Races.explore(Overtaken.class, 400);
  }

  @Test
  void aFutureIsFoundOnceItIsHandedOver() {
    Races.explore(ReadAtOnce.class, 300);
  }

  @Test
  void findsAFutureThatIsNotComparedWithWhatWasDeleted() {
    Races.find(
        Overtaken.class, 300, Mutation.withoutCall(Outstanding.class, "place", "failIfMissed"));
  }

  @Test
  void findsAReaderThatForgetsWhatWasDeleted() {
    Races.find(Overtaken.class, 300, Mutation.withoutCall(Outstanding.class, "read", "set"));
  }
}
