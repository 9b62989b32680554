/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.UndecodableMessage;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.text.Formats;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads who sent the messages of a partition, and how many statements they have. For one thread.
 */
final class WaitingReader implements JDBCStatement {

  private static final int AT_ONCE = 1_000;
  private static final Duration LONGEST_READ = Duration.ofSeconds(5);

  private final MessageQueue in;
  private final CallReader<JDBCStatement> reader;
  private final JDBCService.WaitingStatement target;
  private int statements;

  WaitingReader(JDBCService service, JDBCService.WaitingStatement target) {
    this.in = service.in();
    this.reader = service.statements().reader(in.name(), this);
    this.target = target;
  }

  /**
   * Reads from a position to the present end.
   *
   * @throws QueueUnavailable if the queue cannot be read now
   */
  void read(int partition, long from) {
    try (Tailer tailer = in.tailer(partition)) {
      try {
        tailer.seek(from);
      } catch (PositionOutOfRange _) {
        tailer.toStart(); // the messages before it were deleted
      }
      long end = tailer.readableEnd();
      long progress = System.nanoTime();
      while (tailer.position() < end) {
        int count =
            tailer.poll(
                AT_ONCE,
                (position, message) -> {
                  if (position < end) {
                    read(partition, position, message);
                  }
                });
        if (count > 0) {
          progress = System.nanoTime();
        } else if (System.nanoTime() - progress > LONGEST_READ.toNanos()) {
          throw new QueueUnavailable(
              "partition %d of %s could not be read at %,d within %s"
                  .formatted(
                      partition, in.name(), tailer.position(), Formats.duration(LONGEST_READ)),
              null);
        } else {
          tailer.await(Tailer.A_TURN);
        }
      }
    }
  }

  private void read(int partition, long position, ByteBuffer message) {
    statements = 0;
    Message envelope;
    try {
      envelope = reader.read(partition, position, message);
    } catch (UndecodableMessage e) {
      envelope = e.envelope();
      statements = 1;
    }
    target.at(position, envelope == null ? null : envelope.client(), Math.max(1, statements));
  }

  @Override
  public void executeUpdate(String query, @Nullable Object... args) {
    statements++;
  }

  @Override
  public void executeQuery(String query, Class<?> resultType, @Nullable Object... args) {
    statements++;
  }

  @Override
  public void executeTogether(List<Call> calls) {
    statements += calls == null ? 1 : calls.size();
  }
}
