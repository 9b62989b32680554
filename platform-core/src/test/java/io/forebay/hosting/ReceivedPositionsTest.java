/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.queue.Capabilities;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.Retention;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReceivedPositionsTest {

  @TempDir Path data;
  private final List<Long> awaited = new ArrayList<>();
  private boolean broken;

  private final MessageQueue out =
      (MessageQueue)
          Proxy.newProxyInstance(
              MessageQueue.class.getClassLoader(),
              new Class<?>[] {MessageQueue.class},
              (_, method, arguments) ->
                  switch (method.getName()) {
                    case "name" -> "orders.out";
                    case "identity" -> "one";
                    case "capabilities" ->
                        new Capabilities(Level.DISK, Retention.BY_CONSUMER, true, 1);
                    case "awaitSafe" -> {
                      awaited.add((Long) arguments[1]);
                      assertThat(new ReceivedPositions(data, self()).of(0)).isZero();
                      if (broken) {
                        throw new QueueFailed("the disk is gone", null);
                      }
                      yield null;
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                  });

  private MessageQueue self() {
    return out;
  }

  @Test
  void storesAPositionWhenTheQueueHasEverythingBeforeItSafely() {
    ReceivedPositions received = new ReceivedPositions(data, out);
    received.passed(0, 7);
    received.save();
    assertThat(awaited).containsExactly(7L);
    assertThat(new ReceivedPositions(data, out).of(0)).isEqualTo(7);
  }

  @Test
  void storesNothingThatTheQueueMayLose() {
    broken = true;
    ReceivedPositions received = new ReceivedPositions(data, out);
    received.passed(0, 7);
    received.save();
    assertThat(new ReceivedPositions(data, out).of(0)).isZero();
  }
}
