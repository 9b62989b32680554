/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import io.forebay.app.queue.Request.Option;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.stored.StoredQueue;
import io.forebay.text.Formats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Replays messages of a service to another version of it, which is then started on the new data
 * directory: always with queues in files, never topics. The messages keep their ids, keys, times
 * and partitions, and get new positions.
 */
final class Replay {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Path directory;
  private final List<String> configuration;

  /**
   * @throws WrongUsage if the arguments cannot be used
   */
  Replay(Request request) {
    String queue = request.value(Option.QUEUE);
    if (queue == null || !queue.endsWith(".in")) {
      throw new WrongUsage("queue replay needs --queue with an in-queue, such as main.in");
    }
    String into = request.value(Option.INTO);
    if (into == null) {
      throw new WrongUsage("queue replay needs --into with a new directory");
    }
    directory = Path.of(into).toAbsolutePath().normalize();
    configuration =
        Stream.concat(
                request.configuration().stream()
                    .filter(it -> !it.startsWith("--forebay.data="))
                    .filter(it -> !it.startsWith("--forebay.backend=")),
                Stream.of("--forebay.data=" + directory, "--forebay.backend=chronicle"))
            .toList();
  }

  /**
   * @param data the data directory of the service
   * @throws WrongUsage if the new one is, contains or belongs to that of a service, or is used
   */
  void mustBeNew(Path data) {
    Path source = data.toAbsolutePath().normalize();
    if (directory.startsWith(source) || source.startsWith(directory)) {
      throw new WrongUsage(
          "--into=%s is or contains the data directory of the service, or is in it (%s); give a new directory"
              .formatted(directory, source));
    }
    if (!Files.exists(directory)) {
      return;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      if (files.iterator().hasNext()) {
        throw new WrongUsage("--into=%s is not empty; give a new directory".formatted(directory));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("directory %s cannot be read".formatted(directory), e);
    }
  }

  /** Opens the queue in the new directory, and returns when all that was appended is durable. */
  void write(StoredQueue source, Consumer<Appender> copy) {
    try (ConfigurableApplicationContext context = Configured.context(Writing.class, configuration);
        MessageQueue queue =
            context.getBean(QueueBackend.class).open(source.name(), source.partitions());
        Appender appender = queue.appender()) {
      copy.accept(appender);
      appender.await(PATIENCE);
    } catch (TimeoutException e) {
      throw new QueueUnavailable(
          "Not all messages were written within %s; delete %s"
              .formatted(Formats.duration(PATIENCE), directory),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QueueUnavailable("Interrupted; delete " + directory, e);
    }
  }

  @QueueWriting
  private static final class Writing {}
}
