/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.place.QueueProperties;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.stored.StoredQueue;
import io.forebay.queue.stored.StoredQueues;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The queues in a data directory, which it does not lock. */
final class ChronicleStoredQueues implements StoredQueues {

  private final Path directory;

  /**
   * @param data the data directory
   */
  ChronicleStoredQueues(Path data) {
    directory = data.resolve(ChronicleBackend.QUEUES);
  }

  @Override
  public String place() {
    return directory.toString();
  }

  @Override
  public List<StoredQueue> queues() {
    List<StoredQueue> queues = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory)) {
      for (Path queue : found) {
        if (!Files.isSymbolicLink(queue) && Files.exists(queue.resolve(QueueProperties.FILE))) {
          queues.add(new ChronicleStoredQueue(queue));
        }
      }
    } catch (NoSuchFileException e) {
      throw new QueueFailed(
          "directory %s does not exist; give the service's data directory with --forebay.data=DIR"
              .formatted(directory),
          e);
    } catch (AccessDeniedException e) {
      throw new QueueFailed(
          "directory %s may not be read by user %s; run this as the user of the service"
              .formatted(directory, System.getProperty("user.name")),
          e);
    } catch (IOException e) {
      throw new QueueFailed("directory %s cannot be read (%s)".formatted(directory, e), e);
    }
    queues.sort(Comparator.comparing(StoredQueue::name));
    return queues;
  }
}
