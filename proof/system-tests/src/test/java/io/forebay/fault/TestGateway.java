/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import static org.awaitility.Awaitility.await;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.call.value.Aliases;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Results;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.ServiceOptions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/** A gateway in this process, on any kind of queues, for tests without kills. */
final class TestGateway implements AutoCloseable {

  private static final Duration ACCEPT = Duration.ofSeconds(30);

  final JDBCService service;
  private final QueueBackend backend;
  private final Target target;

  TestGateway(QueueBackend backend, Target target, int partitions) {
    this(backend, target, partitions, Results.ALL);
  }

  TestGateway(QueueBackend backend, Target target, int partitions, Results results) {
    this.backend = backend;
    this.target = target;
    service =
        JDBCService.builder(ServiceArguments.SERVICE)
            .queues(backend, partitions)
            .dataSource(target.gateway())
            .migrate(target.owner())
            .acceptText(true)
            .results(results)
            .options(
                ServiceOptions.defaults().withRetry(Duration.ofMillis(50), Duration.ofMillis(500)))
            .build();
  }

  TestGateway start() {
    service.start();
    return this;
  }

  /** Sends the statements with these numbers, excluding the last, and waits. */
  void send(Kind kind, String with, long from, long to)
      throws TimeoutException, InterruptedException {
    try (Writer<JDBCStatement> writer = service.createWriter()) {
      for (long number = from; number < to; number++) {
        Workload.send(writer, Invocation.of(number, kind, with));
      }
      writer.await(ACCEPT);
    }
  }

  /** Waits until each partition accepts messages. */
  void awaitCompared() {
    await()
        .until(() ->
            IntStream.range(0, service.in().partitions())
                .allMatch(partition -> service.in().stats(partition).refusal() == null));
  }

  void send(long from, long to) throws TimeoutException, InterruptedException {
    send(Kind.EFFECT, "-", from, to);
  }

  /** The numbers with an effect, each repeated as often as its effect. */
  List<Long> effects() {
    List<Long> effects = new ArrayList<>();
    try (Connection connection = target.owner().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select number from effects order by number")) {
      while (row.next()) {
        effects.add(row.getLong(1));
      }
      return effects;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Messages with the statements that have these effects, as a foreign program might write them.
   */
  static List<byte[]> messages(long... numbers) {
    List<byte[]> messages = new ArrayList<>();
    try (MemoryBackend memory = MemoryBackend.open();
        MessageQueue queue = memory.open("messages", 1);
        Writer<JDBCStatement> writer =
            Protocol.of(JDBCStatement.class, Aliases.none().with("row", Row.class)).writer(queue);
        Tailer tailer = queue.tailer(0)) {
      for (long number : numbers) {
        Workload.send(writer, Invocation.of(number, Kind.EFFECT));
      }
      tailer.poll(
          numbers.length,
          (_, message) -> {
            byte[] bytes = new byte[message.remaining()];
            message.get(bytes);
            messages.add(bytes);
          });
    }
    return messages;
  }

  @Override
  public void close() {
    service.close();
    backend.close();
  }
}
