/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.hosting.ResultsContract;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.stored.StoredQueues;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class ChronicleResultsTest extends ResultsContract {

  @TempDir static Path directory;

  private Path data;

  @Override
  protected QueueBackend backend() {
    try {
      data = Files.createTempDirectory(directory, "results");
      return ChronicleBackend.open(data);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  protected StoredQueues stored(QueueBackend backend) {
    return new ChronicleStoredQueues(data);
  }
}
