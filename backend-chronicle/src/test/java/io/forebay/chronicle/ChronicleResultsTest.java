/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.hosting.ResultsContract;
import io.forebay.queue.QueueBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class ChronicleResultsTest extends ResultsContract {

  @TempDir static Path directory;

  @Override
  protected QueueBackend backend() {
    try {
      return ChronicleBackend.open(Files.createTempDirectory(directory, "results"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
