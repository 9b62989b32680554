/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.PATIENCE;
import static io.forebay.chronicle.Rig.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Writer;
import io.forebay.chronicle.file.Mark;
import io.forebay.chronicle.place.QueueProperties;
import io.forebay.hosting.AnswerReceiver;
import io.forebay.hosting.AnswerTransactions;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import io.forebay.service.progress.Unavailable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The power of the host fails when receivers have just received answers. */
class ReceiversAfterPowerLossTest {

  interface Numbers {
    void number(long number);
  }

  private static final ServiceDefinition<Numbers, Numbers> DEFINITION =
      ServiceDefinition.of("orders", Numbers.class, Numbers.class, answers -> answers);

  @TempDir Path directory;
  private final Semaphore forces = new Semaphore(1);
  private final Database database = new Database();
  private final CountDownLatch endKnown = new CountDownLatch(1);
  private Rig rig;

  /** What the disk holds if the power fails now. */
  private volatile Map<String, byte[]> forced = Map.of();

  @BeforeEach
  void open() {
    rig = rig(directory.resolve("run"));
    rig.force =
        (file, metadata) -> {
          forces.acquireUninterruptibly();
          try {
            file.force(metadata);
            forced = files();
          } finally {
            forces.release();
          }
        };
  }

  private static Rig rig(Path data) {
    Rig rig = new Rig(data);
    rig.options = Rig.options(Level.DISK);
    return rig;
  }

  /** The rows of a receiver, and what is on the disk of the queue at each commit. */
  private final class Database implements AnswerTransactions {

    private final List<Long> rows = new CopyOnWriteArrayList<>();
    private final List<Map<String, byte[]>> disks = new CopyOnWriteArrayList<>();
    private volatile OptionalLong position = OptionalLong.empty();

    @Override
    public OptionalLong position(String queueId, int partition) {
      return position;
    }

    @Override
    public Transaction begin() {
      return new Transaction() {
        @Override
        public void deliver(Runnable delivery) {
          delivery.run();
        }

        @Override
        public void commit(String queueId, int partition, OptionalLong from, long to) {
          disks.add(forced);
          position = OptionalLong.of(to);
        }

        @Override
        public void rollback() {}
      };
    }
  }

  private Map<String, byte[]> files() {
    Map<String, byte[]> all = new TreeMap<>();
    try {
      for (Path file : rig.files()) {
        all.put(file.getFileName().toString(), Files.readAllBytes(file));
      }
      Path mark = rig.partition(0).resolve(Mark.FILE);
      if (Files.exists(mark)) {
        all.put(Mark.FILE, Files.readAllBytes(mark));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all;
  }

  private AnswerReceiver<Numbers> receiver(
      MessageQueue out, Path data, Numbers bean, @Nullable AnswerTransactions transactions) {
    AnswerReceiver<Numbers> receiver =
        new AnswerReceiver<>(DEFINITION, out, data, List.of(bean), transactions);
    receiver.start();
    return receiver;
  }

  private static void answer(MessageQueue out, long from, long to) throws Exception {
    try (Writer<Numbers> writer = DEFINITION.answers().writer(out)) {
      for (long number = from; number < to; number++) {
        writer.calls().number(number);
      }
      writer.await(PATIENCE);
    }
  }

  /** Answers one number after another. Each is forced after the bean was called, if it is. */
  private void receiveThree(MessageQueue out, List<Long> called) throws Exception {
    try (Writer<Numbers> writer = DEFINITION.answers().writer(out)) {
      for (long number = 0; number < 3; number++) {
        int before = called.size();
        forces.acquire();
        writer.calls().number(number);
        await().until(() -> called.size() > before || forces.hasQueuedThreads());
        forces.release();
        writer.await(PATIENCE);
        await().atMost(PATIENCE).until(() -> called.size() > before);
      }
    }
  }

  @Test
  void aTransactionHasEachAnswerOnce() throws Exception {
    List<Long> called = new CopyOnWriteArrayList<>();
    try (ChronicleBackend backend = rig.open();
        MessageQueue out = backend.open(QUEUE, 1);
        AnswerReceiver<Numbers> _ = receiver(out, rig.data, called::add, database)) {
      receiveThree(out, called);
      await().atMost(PATIENCE).until(() -> database.position.equals(OptionalLong.of(3)));
    }
    List<Map<String, byte[]>> disks = List.copyOf(database.disks);
    assertThat(disks).hasSize(3);
    for (int i = 0; i < disks.size(); i++) {
      receivesTheRest(i + 1, disks.get(i));
    }
  }

  /** The service answers again what the disk has lost, and more. */
  private void receivesTheRest(long position, Map<String, byte[]> disk) throws Exception {
    database.position = OptionalLong.of(position);
    List<Long> received = new ArrayList<>(LongStream.range(0, position).boxed().toList());
    Rig restarted = restarted(directory.resolve("disk" + position), disk);
    try (ChronicleBackend backend = restarted.open();
        MessageQueue out = backend.open(QUEUE, 1);
        AnswerReceiver<Numbers> receiver = receiver(out, restarted.data, received::add, database)) {
      answer(out, out.stats(0).end().orElseThrow(), 5);
      await()
          .atMost(PATIENCE)
          .until(() -> receiver.outage().isPresent() || receiver.hasReceivedAll());
      assertThat(receiver.outage()).isEmpty();
    }
    assertThat(received).containsExactly(0L, 1L, 2L, 3L, 4L);
  }

  @Test
  void anAnswerThatFailsAfterTheQueueWasShortenedIsDeliveredAgain() throws Exception {
    Rig shortened = new Rig(directory.resolve("short"));
    shortened.options = Rig.options(Level.PROCESS);
    database.position = OptionalLong.of(5);
    AtomicBoolean away = new AtomicBoolean(true);
    List<Long> received = new CopyOnWriteArrayList<>();
    Numbers bean =
        number -> {
          if (away.getAndSet(false)) {
            throw new Unavailable("the database is away", new IllegalStateException());
          }
          received.add(number);
        };
    try (ChronicleBackend backend = shortened.open();
        MessageQueue out = backend.open(QUEUE, 1);
        AnswerReceiver<Numbers> receiver = receiver(watched(out), shortened.data, bean, database)) {
      endKnown.await();
      answer(out, 0, 2);
      await().atMost(PATIENCE).until(() -> database.position.equals(OptionalLong.of(2)));
      assertThat(receiver.outage()).isEmpty();
    }
    assertThat(received).containsExactly(0L, 1L);
  }

  /** The queue, which tells when a receiver has asked it where it ends. */
  private MessageQueue watched(MessageQueue out) {
    return proxy(
        MessageQueue.class,
        (_, method, arguments) ->
            method.getName().equals("followers")
                ? (IntFunction<Tailer>) partition -> watched(out.followers().apply(partition))
                : method.invoke(out, arguments));
  }

  private Tailer watched(Tailer tailer) {
    return proxy(
        Tailer.class,
        (_, method, arguments) -> {
          Object result = method.invoke(tailer, arguments);
          if (method.getName().equals("end")) {
            endKnown.countDown();
          }
          return result;
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                return handler.invoke(proxy, method, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private Rig restarted(Path data, Map<String, byte[]> disk) throws IOException {
    Rig restarted = rig(data);
    restarted.boot = "two";
    Path partition = restarted.partition(0);
    Files.createDirectories(partition);
    Files.copy(
        rig.partition(0).resolveSibling(QueueProperties.FILE),
        partition.resolveSibling(QueueProperties.FILE));
    for (Map.Entry<String, byte[]> file : disk.entrySet()) {
      Files.write(partition.resolve(file.getKey()), file.getValue());
    }
    return restarted;
  }

  @Test
  void aReceiverWithoutTransactionsGetsNoAnswerThatTheDiskMayLose() throws Exception {
    List<Long> called = new CopyOnWriteArrayList<>();
    List<Map<String, byte[]>> disks = new CopyOnWriteArrayList<>();
    try (ChronicleBackend backend = rig.open();
        MessageQueue out = backend.open(QUEUE, 1);
        AnswerReceiver<Numbers> _ =
            receiver(
                out,
                rig.data,
                number -> {
                  disks.add(forced);
                  called.add(number);
                },
                null)) {
      receiveThree(out, called);
    }
    for (int i = 0; i < disks.size(); i++) {
      Rig restarted = restarted(directory.resolve("disk" + i), disks.get(i));
      try (ChronicleBackend backend = restarted.open();
          MessageQueue out = backend.open(QUEUE, 1)) {
        assertThat(out.stats(0).end()).hasValue(i + 1);
      }
    }
  }

  @Test
  void aQueueThatEndsBeforeTheStoredPositionIsNotReceived() throws Exception {
    database.position = OptionalLong.of(5);
    List<Long> called = new CopyOnWriteArrayList<>();
    try (ChronicleBackend backend = rig.open();
        MessageQueue out = backend.open(QUEUE, 1)) {
      answer(out, 0, 3);
      try (AnswerReceiver<Numbers> receiver = receiver(out, rig.data, called::add, database)) {
        await().atMost(PATIENCE).until(() -> receiver.outage().isPresent());
        assertThat(receiver.outage().orElseThrow().text())
            .contains("ends at 3")
            .contains("position 5")
            .contains("docs/operations.md, \"A queue returned to an older state\"");
        answer(out, 3, 6);
        assertThat(called).isEmpty();
      }
    }
  }
}
