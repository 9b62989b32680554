/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import io.forebay.app.command.WrongUsage;
import io.forebay.app.queue.Request.Option;
import io.forebay.hosting.messages.PartitionReader;
import io.forebay.hosting.messages.StatementNames;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.stored.StoredQueue;
import io.forebay.text.Formats;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Replays messages of a service to another version of it, which is then started on the new
 * directory. The messages keep their ids, keys, times and partitions, and get new positions.
 */
final class Replay {

  private static final String IN = ".in";

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Selection selection;
  private final StoredQueue source;
  private final StatementNames names;
  private final ReplayTarget target;
  private long copied;

  Replay(Request request, Selection selection, StoredQueue source, StatementNames names) {
    this.selection = selection;
    this.source = source;
    this.names = names;
    target =
        new ReplayTarget(
            Objects.requireNonNull(request.value(Option.INTO)), request.configuration());
  }

  /**
   * @throws WrongUsage if the arguments cannot be used
   */
  static void check(Request request) {
    String queue = request.value(Option.QUEUE);
    if (queue == null || !queue.endsWith(IN)) {
      throw new WrongUsage("queue replay needs --queue with an in-queue, such as main.in");
    }
    if (!request.has(Option.INTO)) {
      throw new WrongUsage("queue replay needs --into with a new directory");
    }
  }

  /**
   * Copies the selected messages.
   *
   * @param data the data directory of the service
   * @param limit the most messages
   * @return how many were copied
   * @throws WrongUsage if the target is not a new directory
   */
  long copy(Path data, List<Integer> partitions, long limit) {
    target.mustBeNew(data);
    try (ConfigurableApplicationContext context = target.write();
        MessageQueue queue =
            context.getBean(QueueBackend.class).open(source.name(), source.partitions());
        Appender appender = queue.appender()) {
      for (int partition : partitions) {
        copy(partition, appender, limit);
      }
      appender.await(PATIENCE);
    } catch (TimeoutException e) {
      throw new QueueUnavailable(
          "Not all messages were written within %s; delete %s"
              .formatted(Formats.duration(PATIENCE), target),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QueueUnavailable("Interrupted; delete " + target, e);
    }
    return copied;
  }

  private void copy(int partition, Appender appender, long limit) {
    try (PartitionReader reader = new PartitionReader(source, partition, false, names)) {
      long first = selection.begin(reader.toStart());
      reader.readSingly(
          first,
          selection.end(reader.end()),
          stored -> {
            if (copied < limit && selection.takes(stored)) {
              appender.append(partition, stored.bytes());
              copied++;
            }
            return copied < limit;
          });
    }
  }
}
