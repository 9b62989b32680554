/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.imports;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.springframework.batch.core.listener.SkipListener;
import org.springframework.batch.infrastructure.item.file.FlatFileParseException;

/** Appends the lines that cannot be read to a file. */
record Rejects(Path file) implements SkipListener<Order, Order> {

  @Override
  public void onSkipInRead(Throwable failure) {
    if (failure instanceof FlatFileParseException reject) {
      try {
        Files.writeString(
            file,
            "%d: %s%n".formatted(reject.getLineNumber(), reject.getInput()),
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
