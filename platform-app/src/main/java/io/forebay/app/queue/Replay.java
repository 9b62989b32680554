/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import io.forebay.app.command.WrongUsage;
import io.forebay.app.queue.Request.Option;
import io.forebay.hosting.messages.PartitionScan;
import io.forebay.hosting.messages.StatementNames;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.stored.StoredQueue;
import io.forebay.queue.stored.StoredQueues;
import io.forebay.text.Formats;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Replays messages of a service to another version of it, which is then started on the new
 * directory. The messages keep their ids, keys, times and partitions, and get new positions.
 */
final class Replay {

  private static final String IN = ".in";
  private static final String OUT = ".out";

  /** Options that select messages; a comparison takes all that were replayed. */
  private static final List<Option> SELECTING =
      List.of(Option.PARTITION, Option.FROM, Option.TO, Option.ID, Option.KEY, Option.STATEMENT);

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Request request;
  private final StoredQueue source;
  private final StatementNames names;
  private final ReplayTarget target;
  private long copied;

  Replay(Request request, StoredQueue source, StatementNames names) {
    this.request = request;
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
    for (Option option : SELECTING) {
      if (request.has(Option.DIFF) && request.has(option)) {
        throw new WrongUsage(
            "--diff compares all messages that were replayed; it takes no " + option);
      }
    }
    if (request.has(Option.VALUES) && !request.has(Option.DIFF)) {
      throw new WrongUsage("--values is for --diff");
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
      appender.await(appender.ticket(), PATIENCE);
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
    try (PartitionScan scan =
        new PartitionScan(source, partition, request.selection(), false, names)) {
      scan.read(stored -> {
        if (copied < limit) {
          appender.append(partition, stored.bytes());
          copied++;
        }
        return copied < limit;
      });
    }
  }

  /**
   * Compares the answers.
   *
   * @param result receives the comparison, which reads both queues
   * @throws WrongUsage if nothing was replayed into the target
   */
  void compare(StoredQueues queues, Consumer<AnswerDiff> result) {
    String name = source.name();
    String answers = name.substring(0, name.length() - IN.length()) + OUT;
    StoredQueue recorded =
        find(queues, answers)
            .orElseThrow(
                () -> new WrongUsage("%s has no queue %s".formatted(queues.place(), answers)));
    try (ConfigurableApplicationContext context = target.read()) {
      StoredQueues replayed = context.getBean(StoredQueues.class);
      StoredQueue messages =
          find(replayed, name)
              .orElseThrow(() ->
                  new WrongUsage(
                      "%s has no queue %s; replay into it first, without --diff"
                          .formatted(target, name)));
      @Nullable StoredQueue performed = find(replayed, answers).orElse(null);
      result.accept(new AnswerDiff(messages, recorded, performed, names));
    }
  }

  private static Optional<StoredQueue> find(StoredQueues queues, String name) {
    return queues.queues().stream().filter(it -> it.name().equals(name)).findFirst();
  }
}
