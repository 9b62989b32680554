/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.sweep.PacedLoad;
import io.forebay.call.Protocol;
import io.forebay.call.Reader;
import io.forebay.call.Writer;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.database.EmbeddedDatabase;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.service.progress.HostedProgress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What a message passes through until it is complete, with queues in files. */
abstract class ProbePath extends PacedLoad implements AutoCloseable {

  /** How long a message may take. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final long RETRY_NANOS = 1_000_000;

  private final ChronicleBackend backend;
  private long sent;

  private ProbePath(Path folder) {
    super(PATIENCE);
    backend = ChronicleBackend.open(folder, ChronicleBackend.Options.defaults());
  }

  /** Appends a message. */
  abstract void append(long due);

  /** All its queues. */
  abstract List<MessageQueue> queues();

  /** Closes all but the backend. */
  abstract void closePath() throws SQLException;

  /** The bytes that a message and its answer take in the queues. */
  final double bytesPerMessage() {
    return queues().stream().mapToDouble(it -> it.counters(0).appendedBytes().orElseThrow()).sum()
        / sent;
  }

  /** While a queue is full, messages wait. */
  @Override
  protected final void send(long due) {
    long begin = System.nanoTime();
    while (true) {
      try {
        append(due);
        sent++;
        return;
      } catch (QueueRefused e) {
        if (e.reason() != QueueRefused.Reason.FULL
            || System.nanoTime() - begin > PATIENCE.toNanos()) {
          throw e;
        }
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }
  }

  @Override
  public final void close() throws SQLException {
    try (backend) {
      closePath();
    }
  }

  /** What is sent, and what is answered. */
  public interface Calls {
    void message(long due, byte[] content);
  }

  /** Complete when the queue has acknowledged it. */
  static final class Append extends ProbePath {

    private final MessageQueue queue;
    private final Writer<Calls> writer;
    private final byte[] content;

    Append(Path folder, int bytes) {
      super(folder);
      queue = super.backend.open("append.in", 1, Duration.ofHours(1));
      content = new byte[bytes];
      writer = Protocol.of(Calls.class).writer(queue);
      writer.onAcknowledged(
          new Appender.AcknowledgementListener() {
            @Override
            public void acknowledged(int partition, long ticket, long position) {
              completedNext();
            }

            @Override
            public void failed(long first, long last, QueueFailed cause) {
              Append.this.failed(cause);
            }
          });
    }

    @Override
    void append(long due) {
      writer.calls().message(due, content);
    }

    @Override
    List<MessageQueue> queues() {
      return List.of(queue);
    }

    @Override
    void closePath() {
      try (queue) {
        writer.close();
      }
    }
  }

  /** Complete when a component has performed it and its answer was read. */
  static final class Service extends ProbePath {

    private static final int MOST_PER_POLL = 1_000;

    private final DefinedService<Calls, Calls> service;
    private final Writer<Calls> writer;
    private final Reader<Calls> answers;
    private final Thread reading;
    private final byte[] content;
    private volatile boolean closed;

    Service(Path folder, int bytes) {
      super(folder);
      content = new byte[bytes];
      service =
          DefinedService.open(
              super.backend,
              ServiceDefinition.of(
                  "service",
                  Calls.class,
                  Calls.class,
                  answers -> (due, _) -> answers.message(due, new byte[0])),
              HostedProgress.inFiles(folder.resolve("progress")));
      service.start();
      writer = service.createWriter();
      answers = service.createReader((due, _) -> completed(due));
      reading = Thread.ofPlatform().daemon().name("probe-reader").start(this::read);
    }

    private void read() {
      try {
        while (!closed) {
          if (answers.poll(MOST_PER_POLL) == 0) {
            LockSupport.parkNanos(10_000);
          }
        }
      } catch (Throwable e) {
        failed(e);
      }
    }

    @Override
    void append(long due) {
      writer.calls().message(due, content);
    }

    @Override
    List<MessageQueue> queues() {
      return List.of(service.in(), service.out());
    }

    @Override
    void closePath() {
      closed = true;
      try {
        reading.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      try (service;
          writer) {
        answers.close();
      }
    }
  }

  /** Complete when a gateway has inserted it into the database and its result was read. */
  static final class Gateway extends ProbePath {

    private static final String INSERT = "insert into probe_message (id, content) values (?, ?)";
    private static final int MOST_UNANSWERED = 2_000_000;

    private final @Nullable EmbeddedDatabase embedded;
    private final JDBCService service;
    private final StatementClient client;
    private final String content;
    private long id;

    private Gateway(
        Path folder,
        int bytes,
        DataSource gateway,
        DataSource owner,
        @Nullable EmbeddedDatabase embedded)
        throws SQLException {
      super(folder.resolve("queues"));
      this.embedded = embedded;
      content = "x".repeat(bytes);
      try (Connection connection = owner.getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute(
            (embedded == null ? "create table " : "create cached table ")
                + "probe_message (id bigint not null, content varchar(1000000))");
        statement.execute("grant insert on probe_message to forebay_gateway");
      }
      service =
          JDBCService.builder("gateway")
              .queues(super.backend, 1)
              .dataSource(gateway)
              .migrate(owner)
              .acceptText(true)
              .build();
      service.start();
      client = service.createClient(MOST_UNANSWERED);
    }

    static Gateway onHsqldb(Path folder, int bytes) throws SQLException {
      EmbeddedDatabase database = EmbeddedDatabase.open(folder.resolve("database"));
      return new Gateway(folder, bytes, database.gateway(), database.owner(), database);
    }

    static Gateway onPostgresql(Path folder, int bytes, String url) throws SQLException {
      return new Gateway(
          folder,
          bytes,
          Postgres.dataSource(url, Postgres.GATEWAY),
          Postgres.dataSource(url, Postgres.OWNER),
          null);
    }

    @Override
    void append(long due) {
      client
          .executeUpdate(INSERT, id++, content)
          .whenComplete((_, failure) -> {
            if (failure == null) {
              completed(due);
            } else {
              failed(failure);
            }
          });
    }

    @Override
    List<MessageQueue> queues() {
      return List.of(service.in(), service.out());
    }

    @Override
    void closePath() throws SQLException {
      try (service) {
        client.close();
      }
      if (embedded != null) {
        embedded.close();
      }
    }
  }
}
