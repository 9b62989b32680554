/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import io.forebay.file.FileExposure;
import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.operations.SelfCheck;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Checks that only root and the user of this process can change the statements of the catalogue.
 */
final class CatalogueSelfCheck implements SelfCheck {

  private static final String CHECK = "catalogue";

  private final ObjectProvider<LiveCatalogue> catalogue;

  CatalogueSelfCheck(ObjectProvider<LiveCatalogue> catalogue) {
    this.catalogue = catalogue;
  }

  @Override
  public List<Result> run() {
    try {
      return catalogue.stream()
          .flatMap(it -> it.paths().stream())
          .map(CatalogueSelfCheck::result)
          .toList();
    } catch (UncheckedIOException e) {
      return List.of(unreadable("cannot be read: " + e.getCause()));
    }
  }

  private static Result result(Path file) {
    try {
      return FileExposure.toChange(file)
          .map(it ->
              new Result(
                  CHECK,
                  State.WARN,
                  it + ": others can change what statements do",
                  Harm.ACCESS,
                  "Give it to root or to the user of this process, without write access for"
                      + " others."))
          .orElseGet(() -> new Result(CHECK, State.OK, file + " cannot be changed by others"));
    } catch (IOException e) {
      return unreadable("%s cannot be read: %s".formatted(file, e));
    }
  }

  private static Result unreadable(String text) {
    return new Result(
        CHECK,
        State.FAILED,
        text,
        Harm.OUTAGE,
        "Restore the file, or give the user of this process read access.");
  }
}
