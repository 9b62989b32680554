/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import io.forebay.file.DurableFiles;
import io.forebay.operations.StartRefused;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The generated passwords of an embedded database's two users. */
record Credentials(String owner, String gateway) {

  private static final String FILE = "credentials";
  private static final int PASSWORD_BYTES = 32;
  private static final Set<PosixFilePermission> PRIVATE =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

  /**
   * Reads the passwords, and generates them if there are none. They are on disk when this method
   * returns.
   *
   * @throws StartRefused if other users may access the file, or it is incomplete
   */
  static Credentials of(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    if (Files.notExists(file)) {
      write(file, new Credentials(password(), password()));
    }
    if (!PRIVATE.containsAll(Files.getPosixFilePermissions(file))) {
      throw new StartRefused(
          "File permissions too open: "
              + file
              + " holds the passwords of the database; set its mode to 0600 and start again");
    }
    Properties entries = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      entries.load(reader);
    }
    return new Credentials(
        complete(file, entries.getProperty("owner")),
        complete(file, entries.getProperty("gateway")));
  }

  static boolean exist(Path directory) {
    return Files.exists(directory.resolve(FILE));
  }

  /** Omits the passwords. */
  @Override
  public String toString() {
    return "Credentials";
  }

  private static void write(Path file, Credentials credentials) throws IOException {
    String entries = "owner=%s\ngateway=%s\n".formatted(credentials.owner(), credentials.gateway());
    DurableFiles.replace(
        file,
        entries.getBytes(StandardCharsets.US_ASCII),
        PosixFilePermissions.asFileAttribute(PRIVATE));
  }

  private static String complete(Path file, @Nullable String password) {
    if (password == null || password.isEmpty()) {
      throw new StartRefused(
          file
              + " has no entries owner and gateway, the passwords of the database in the same"
              + " directory; restore the file from a backup");
    }
    return password;
  }

  private static String password() {
    byte[] bytes = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
