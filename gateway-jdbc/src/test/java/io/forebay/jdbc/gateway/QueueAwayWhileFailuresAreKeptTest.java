/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.database.TestDatabase;
import io.forebay.jdbc.SqlFailed;
import io.forebay.jdbc.SqlFailure;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A failed statement is read in the queue again: while that cannot be read, nothing is decided.
 * While the out-queue refuses its answer, it is not counted again.
 */
class QueueAwayWhileFailuresAreKeptTest {

  @TempDir Path directory;
  private final AtomicInteger faults = new AtomicInteger();
  private final Set<Tailer> open = ConcurrentHashMap.newKeySet();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void aStatementFailsForItsOwnReasonAfterAnOutageOfTheQueue(int times) throws Exception {
    try (TestDatabase database = TestDatabase.hsqldb(directory);
        MemoryBackend memory = MemoryBackend.open();
        JDBCService service =
            JDBCService.builder("shop")
                .queues(changed(memory, ".in", this::failing), 1)
                .dataSource(database.gateway())
                .migrate(database.owner())
                .build()) {
      database.createTable("item", "id bigint primary key");
      service.start();
      try (StatementClient client = service.createClient(10)) {
        String insert = "insert into item (id) values (?)";
        client.executeUpdate(insert, 1L).get(1, TimeUnit.MINUTES);
        faults.set(times);
        CompletableFuture<Long> failed = client.executeUpdate(insert, 1L);
        CompletableFuture<Long> performed = client.executeUpdate(insert, 2L);
        assertThatThrownBy(() -> failed.get(1, TimeUnit.MINUTES))
            .isInstanceOf(ExecutionException.class)
            .cause()
            .isInstanceOfSatisfying(
                SqlFailed.class,
                it -> assertThat(it.failure().kind()).isEqualTo(SqlFailure.Kind.CONSTRAINT));
        assertThat(performed.get(1, TimeUnit.MINUTES)).isEqualTo(1);
        assertThat(faults).as("faults that did not happen").hasValueLessThanOrEqualTo(0);
      }
    }
    assertThat(open).as("tailers that nobody closed").isEmpty();
  }

  @Test
  void aFailedStatementIsCountedOnceWhileItsAnswerIsRefused() throws Exception {
    try (TestDatabase database = TestDatabase.hsqldb(directory);
        MemoryBackend memory = MemoryBackend.open();
        JDBCService service =
            JDBCService.builder("shop")
                .queues(changed(memory, ".out", this::refusing), 1)
                .dataSource(database.gateway())
                .migrate(database.owner())
                .build()) {
      database.createTable("item", "id bigint primary key");
      service.start();
      try (StatementClient client = service.createClient(10)) {
        faults.set(4);
        CompletableFuture<Long> failed = client.executeUpdate("insert into nowhere values (1)");
        assertThatThrownBy(() -> failed.get(1, TimeUnit.MINUTES))
            .cause()
            .isInstanceOf(SqlFailed.class);
        assertThat(faults).as("refusals that did not happen").hasValueLessThanOrEqualTo(0);
        assertThat(service.failed()).isEqualTo(1);
      }
    }
  }

  /** A backend whose queues with this suffix hand out changed tailers and appenders. */
  private static QueueBackend changed(
      MemoryBackend memory, String suffix, UnaryOperator<Object> change) {
    return new QueueBackend() {
      @Override
      public String name() {
        return memory.name();
      }

      @Override
      public MessageQueue open(String name, int partitions, Duration kept) {
        MessageQueue queue = memory.open(name, partitions, kept);
        return name.endsWith(suffix)
            ? proxy(
                MessageQueue.class,
                queue,
                (_, method, arguments) -> change.apply(method.invoke(queue, arguments)))
            : queue;
      }

      @Override
      public void close() {
        memory.close();
      }
    };
  }

  private Object refusing(Object part) {
    return part instanceof Appender appender
        ? proxy(
            Appender.class,
            appender,
            (_, method, arguments) -> {
              if (method.getName().equals("append") && faults.getAndDecrement() > 0) {
                throw new QueueRefused(
                    QueueRefused.Reason.FULL, 1, Duration.ofMillis(1), "full for the test");
              }
              return method.invoke(appender, arguments);
            })
        : part;
  }

  private Object failing(Object part) {
    if (!(part instanceof Tailer tailer)) {
      return part;
    }
    open.add(tailer);
    return proxy(
        Tailer.class,
        tailer,
        (_, method, arguments) -> {
          if (method.getName().equals("seek") && faults.getAndDecrement() > 0) {
            throw new QueueUnavailable("no broker answers", new IllegalStateException());
          }
          if (method.getName().equals("close")) {
            open.remove(tailer);
          }
          return method.invoke(tailer, arguments);
        });
  }

  private static <T> T proxy(Class<T> type, T of, InvocationHandler handler) {
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
}
