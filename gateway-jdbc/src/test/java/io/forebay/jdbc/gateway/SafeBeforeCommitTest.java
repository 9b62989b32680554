/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Writer;
import io.forebay.database.TestDatabase;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A queue that says when its messages are safe, and a batch that waits for that. */
class SafeBeforeCommitTest {

  private static final Duration SOON = Duration.ofSeconds(120);

  @TempDir Path directory;
  private final Semaphore safe = new Semaphore(0);
  private final AtomicLong awaited = new AtomicLong(-1);

  @Test
  void aBatchIsCommittedWhenTheQueueHasItSafely() throws Exception {
    try (TestDatabase database = TestDatabase.hsqldb(directory);
        MemoryBackend memory = MemoryBackend.open();
        JDBCService service =
            JDBCService.builder("shop")
                .queues(slow(memory), 1)
                .dataSource(database.gateway())
                .migrate(database.owner())
                .build()) {
      database.createTable("item", "id bigint");
      assertThat(service.durability())
          .as("lines of streams may be acknowledged earlier")
          .hasValueSatisfying(it -> assertThat(it.streams()).isTrue());
      service.start();
      try (Writer<JDBCStatement> writer = service.createWriter()) {
        writer.calls().executeUpdate("insert into item (id) values (?)", 1L);
        writer.await(SOON);
      }
      await().atMost(SOON).until(() -> awaited.get() == 1);
      assertThat(database.rows("select max(to_position) from forebay.outcome"))
          .containsExactly("0");
      assertThat(service.position(0)).isZero();
      safe.release(1_000);
      await().atMost(SOON).until(() -> service.position(0) == 1);
      assertThat(database.rows("select max(to_position) from forebay.outcome"))
          .containsExactly("1");
      assertThat(database.rows("select id from item")).containsExactly("1");
    }
  }

  private QueueBackend slow(MemoryBackend memory) {
    return new QueueBackend() {
      @Override
      public String name() {
        return memory.name();
      }

      @Override
      public MessageQueue open(String name, int partitions, Duration kept) {
        return slow(memory.open(name, partitions, kept));
      }

      @Override
      public void close() {
        memory.close();
      }
    };
  }

  private MessageQueue slow(MessageQueue queue) {
    return (MessageQueue)
        Proxy.newProxyInstance(
            MessageQueue.class.getClassLoader(),
            new Class<?>[] {MessageQueue.class},
            (_, method, arguments) -> {
              if (method.getName().equals("awaitSafe")) {
                awaited.set((long) arguments[1]);
                safe.acquire();
              }
              try {
                return method.invoke(queue, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
