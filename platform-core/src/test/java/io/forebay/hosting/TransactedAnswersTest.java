/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.progress.Unavailable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A transaction of a receiver fails while the queue does not respond either. */
class TransactedAnswersTest {

  interface Numbers {
    void number(long number);
  }

  private static final Protocol<Numbers> NUMBERS = Protocol.of(Numbers.class);

  private final MessageQueue out = MemoryBackend.open().open("numbers.out", 1);
  private final Database database = new Database();
  private final ReceivedPositions file = new ReceivedPositions(Path.of("unused"), out, "answers");
  private final AnswerDelivery<Numbers> answers =
      new AnswerDelivery<>(
          out,
          List.of(NUMBERS.reader(out.name(), number -> database.uncommitted.add(number))),
          file,
          database,
          (_, _, reason) -> {
            throw new AssertionError(reason);
          });
  private final Tailer tailer = unavailableAtTimes(out.tailer(0));
  private boolean away;

  /** The first answer that the queue has kept. */
  private long first;

  /** A database of which a commit fails, before or after it took effect. */
  private static final class Database implements AnswerTransactions {
    private final List<Long> uncommitted = new ArrayList<>();
    private final List<Long> effects = new ArrayList<>();
    private OptionalLong position = OptionalLong.empty();
    private boolean failsBefore;
    private boolean failsAfter;

    @Override
    public OptionalLong position(String queueId, int partition) {
      return position;
    }

    @Override
    public Transaction begin() {
      assertThat(uncommitted).as("the transaction before was rolled back").isEmpty();
      return new Transaction() {
        @Override
        public void deliver(Runnable delivery) {
          delivery.run();
        }

        @Override
        public void commit(String queueId, int partition, OptionalLong from, long to) {
          if (failsBefore || !from.equals(position)) {
            throw new Unavailable("the database is away", null);
          }
          effects.addAll(uncommitted);
          uncommitted.clear();
          position = OptionalLong.of(to);
          if (failsAfter) {
            throw new Unavailable("the answer to the commit was lost", null);
          }
        }

        @Override
        public void rollback() {
          uncommitted.clear();
        }
      };
    }
  }

  private Tailer unavailableAtTimes(Tailer real) {
    return (Tailer)
        Proxy.newProxyInstance(
            Tailer.class.getClassLoader(),
            new Class<?>[] {Tailer.class},
            (_, method, arguments) -> {
              if (away && List.of("seek", "end").contains(method.getName())) {
                throw new QueueUnavailable("the brokers do not respond", null);
              }
              if (method.getName().equals("seek") && (long) arguments[0] < first) {
                throw new PositionOutOfRange(
                    "numbers.out", 0, (long) arguments[0], first, real.end());
              }
              if (method.getName().equals("toStart")) {
                real.seek(first);
                return null;
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void send(long... numbers) {
    try (Writer<Numbers> writer = NUMBERS.writer(out)) {
      for (long number : numbers) {
        writer.calls().number(number);
      }
    }
  }

  private void mustFail() {
    assertThatThrownBy(() -> answers.receive(tailer)).isInstanceOf(QueueUnavailable.class);
  }

  @Test
  void missesNoAnswerOfItsFirstTransaction() {
    send(1, 2);
    database.failsBefore = true;
    away = true;
    mustFail();
    mustFail();
    database.failsBefore = false;
    away = false;
    assertThat(answers.receive(tailer)).isEqualTo(2);
    assertThat(database.effects).containsExactly(1L, 2L);
  }

  @Test
  void deliversNoAnswerAgainWhoseCommitTookEffect() {
    send(1);
    answers.receive(tailer);
    send(2);
    database.failsAfter = true;
    mustFail();
    database.failsAfter = false;
    away = true;
    mustFail();
    away = false;
    send(3);
    assertThat(answers.receive(tailer)).isEqualTo(1);
    assertThat(database.effects).containsExactly(1L, 2L, 3L);
  }

  @Test
  void deliversNoAnswerAgainThatWasReceivedWithoutTransactions() {
    send(1, 2, 3);
    file.commit(out.identity(), 0, OptionalLong.empty(), 2);
    assertThat(answers.receive(tailer)).isEqualTo(1);
    assertThat(database.effects).containsExactly(3L);
  }

  @Test
  void continuesAtTheFirstAnswerKeptIfTheStoredOneWasDeleted() {
    send(1, 2, 3);
    database.position = OptionalLong.of(0);
    first = 1;
    mustBeToldOfTheDeletion();
    assertThat(answers.receive(tailer)).isEqualTo(2);
    assertThat(database.effects).containsExactly(2L, 3L);
  }

  @Test
  void continuesAtTheFirstAnswerKeptIfThatOfAFailedTransactionWasDeleted() {
    send(1, 2, 3);
    database.failsBefore = true;
    mustFail();
    database.failsBefore = false;
    first = 1;
    mustBeToldOfTheDeletion();
    assertThat(answers.receive(tailer)).isEqualTo(2);
    assertThat(database.effects).containsExactly(2L, 3L);
  }

  @Test
  void withoutTransactionsABeanIsNotCalledAgainBecauseTheNextOneIsUnavailable(
      @TempDir Path directory) {
    List<Long> first = new ArrayList<>();
    List<Long> second = new ArrayList<>();
    AtomicBoolean isDown = new AtomicBoolean(true);
    Numbers waiting =
        number -> {
          if (isDown.get()) {
            throw new Unavailable("the bean's database is away", null);
          }
          second.add(number);
        };
    AnswerDelivery<Numbers> delivery =
        new AnswerDelivery<>(
            out,
            List.of(NUMBERS.reader(out.name(), first::add), NUMBERS.reader(out.name(), waiting)),
            new ReceivedPositions(directory, out, "answers"),
            null,
            (_, _, reason) -> {
              throw new AssertionError(reason);
            });
    send(1, 2);
    assertThatThrownBy(() -> delivery.receive(tailer)).isInstanceOf(QueueUnavailable.class);
    isDown.set(false);
    assertThat(delivery.receive(tailer)).isEqualTo(2);
    assertThat(first).containsExactly(1L, 2L);
    assertThat(second).containsExactly(1L, 2L);
  }

  /** The loop that reads the queue then moves the tailer. */
  private void mustBeToldOfTheDeletion() {
    assertThatThrownBy(() -> answers.receive(tailer)).isInstanceOf(PositionOutOfRange.class);
    tailer.toStart();
  }
}
