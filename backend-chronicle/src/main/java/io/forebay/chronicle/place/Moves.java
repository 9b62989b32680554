/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.place;

import io.forebay.operations.StartRefused;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Refuses a queue that is elsewhere than configured, and says how to move it. Nothing is moved by
 * itself: a queue may be larger than the disk to which a wrong property points.
 *
 * @param property the configured directory
 */
record Moves(String queue, String property) {

  /**
   * @param listed the place of the queue in the data directory
   * @param wanted its configured directory, which may be the same
   * @throws StartRefused if it is somewhere else
   */
  void check(Path listed, Path wanted) throws IOException {
    boolean own = wanted.equals(listed);
    if (Files.isSymbolicLink(listed)) {
      checkLink(listed, wanted, own);
    } else if (!own && Files.exists(listed)) {
      throw elsewhere(listed, wanted, "mv %2$s %3$s && ln -s %3$s %1$s", listed);
    } else if (!own && !isNew(wanted)) {
      throw new StartRefused(
          "queue %s would be created in %s, which is not empty and may belong to another data directory; use another directory in %s, or, if it is the queue of this data directory: ln -s %s %s"
              .formatted(queue, wanted, property, wanted, listed));
    }
  }

  private void checkLink(Path listed, Path wanted, boolean own) throws IOException {
    Path linked = linked(listed);
    if (own) {
      throw elsewhere(linked, wanted, "rm %1$s && mv %2$s %3$s", listed);
    }
    if (!Files.isDirectory(linked)) {
      throw new StartRefused(
          "queue %s is in %s, which does not exist; mount its volume, or, if its messages are no longer needed: rm %s"
              .formatted(queue, linked, listed));
    }
    if (!Files.isDirectory(wanted) || !Files.isSameFile(linked, wanted)) {
      throw elsewhere(linked, wanted, "mv %2$s %3$s && ln -sfn %3$s %1$s", listed);
    }
  }

  /** Where a link leads. */
  static Path linked(Path link) throws IOException {
    return link.resolveSibling(Files.readSymbolicLink(link)).normalize();
  }

  private StartRefused elsewhere(Path present, Path wanted, String move, Path listed) {
    return new StartRefused(
        "queue %s is in %s, but with %s it would be in %s; change the property, or move the queue while nothing uses it: %s"
            .formatted(queue, present, property, wanted, move.formatted(listed, present, wanted)));
  }

  private static boolean isNew(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return true;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      return !files.iterator().hasNext();
    }
  }
}
