/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import io.forebay.app.command.Configured;
import io.forebay.app.command.WrongUsage;
import io.forebay.queue.QueueBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.context.ConfigurableApplicationContext;

/** The data directory into which messages are replayed. Always queues in files, never topics. */
final class ReplayTarget {

  private final Path directory;
  private final List<String> configuration;

  /**
   * @param configuration that of the source
   */
  ReplayTarget(String directory, List<String> configuration) {
    this.directory = Path.of(directory).toAbsolutePath().normalize();
    this.configuration =
        Stream.concat(
                configuration.stream()
                    .filter(it -> !it.startsWith("--forebay.data="))
                    .filter(it -> !it.startsWith("--forebay.backend=")),
                Stream.of("--forebay.data=" + this.directory, "--forebay.backend=chronicle"))
            .toList();
  }

  /**
   * @param data the data directory of the service
   * @throws WrongUsage if it is, contains or belongs to that of a service, or is used
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

  /** Opens it for writing; it has a {@link QueueBackend}. */
  ConfigurableApplicationContext write() {
    return Configured.context(Writing.class, configuration);
  }

  @Override
  public String toString() {
    return directory.toString();
  }

  @QueueWriting
  private static final class Writing {}
}
