/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.operations.Audit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last entry of the audit that this instance knows, in memory and in a file of the data
 * directory: outside of the database, so that a deletion of the newest entries there is noticed
 * also after a restart. After a kill the file may have an earlier entry, which is still one that
 * must exist. Nothing is forced to the disk, so that a command does not wait for a slow disk: after
 * a power failure the file may also be missing or empty, which is ignored. Any thread may ask for
 * it, but only one at a time may change it.
 */
final class AuditHead {

  private static final Logger log = LoggerFactory.getLogger(AuditHead.class);
  private static final String FILE = "audit-head";
  private static final Pattern CONTENT = Pattern.compile("([1-9][0-9]{0,17}) ([0-9a-f]{64})\\s*");

  private static final FileAttribute<?> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private static final FileAttribute<?> PRIVATE_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final @Nullable Path file;
  private volatile Audit.Link known;
  private boolean failed;

  /**
   * @param directory null for memory only
   */
  AuditHead(@Nullable Path directory) {
    file = directory == null ? null : directory.resolve(FILE);
    known = read();
  }

  private Audit.Link read() {
    if (file == null || !Files.exists(file)) {
      return Audit.Link.NONE;
    }
    try {
      Matcher content = CONTENT.matcher(Files.readString(file));
      if (content.matches()) {
        return new Audit.Link(Long.parseLong(content.group(1)), content.group(2));
      }
      log.warn("Ignored the file {}: it does not name an entry of the audit", file);
    } catch (IOException e) {
      log.warn("Ignored the file {}: {}", file, e.toString());
    }
    return Audit.Link.NONE;
  }

  Audit.Link known() {
    return known;
  }

  /** Takes an entry that exists in the database; ignored if it is not newer. */
  void take(Audit.Link link) {
    if (link.number() <= known.number()) {
      return;
    }
    known = link;
    if (file == null) {
      return;
    }
    try {
      Path written = file.resolveSibling(FILE + ".new");
      Files.createDirectories(written.getParent(), PRIVATE_DIRECTORY);
      Files.deleteIfExists(written);
      Files.createFile(written, PRIVATE);
      Files.writeString(written, "%d %s%n".formatted(link.number(), link.hash()));
      Files.move(
          written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      failed = false;
    } catch (IOException e) {
      if (!failed) {
        failed = true;
        log.warn(
            "Writing {} failed ({}); until it succeeds, a deletion of the newest entries of the"
                + " audit may stay unnoticed after a restart",
            file,
            e.toString());
      }
    }
  }
}
