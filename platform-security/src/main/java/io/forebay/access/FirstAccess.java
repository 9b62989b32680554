/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.system.StoredToken;
import io.forebay.system.StoredUser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the first token and the first user, and the token that an operator wants who has lost all
 * others. The tokens end after {@link #VALID}: they serve to create lasting ones. A generated
 * credential is in the {@linkplain #file() file} before it is stored, so a kill loses none. Each is
 * written to the audit before it is stored. Used by one thread at a time.
 */
public final class FirstAccess {

  /** How long a token of this class is valid. */
  public static final Duration VALID = Duration.ofHours(24);

  private static final Logger log = LoggerFactory.getLogger(FirstAccess.class);

  private static final String FIRST = "admin";
  private static final String TOKEN = "TOKEN";
  private static final String PASSWORD = "PASSWORD";

  /** An operator lets a shell read the file, so it has nothing else. */
  private static final Pattern LINE = Pattern.compile("(TOKEN|PASSWORD)=[A-Za-z0-9_-]+");

  private final Tokens tokens;
  private final Users users;
  private final Passwords passwords;
  private final Audit audit;
  private final Path file;
  private final Wanted wanted;
  private final InstantSource clock;
  private boolean newAdminIsDone;

  /**
   * What the configuration says.
   *
   * @param token the text of the first token; null to generate it
   * @param newAdmin makes the token {@code admin-} with this ending, if there is none; may be empty
   */
  public record Wanted(@Nullable String token, String newAdmin) {

    /** Without the secret. */
    @Override
    public String toString() {
      return "Wanted " + newAdmin;
    }
  }

  /**
   * @param directory where the file with generated credentials will be
   */
  public FirstAccess(
      Tokens tokens,
      Users users,
      Passwords passwords,
      Audit audit,
      Path directory,
      Wanted wanted,
      InstantSource clock) {
    this.tokens = tokens;
    this.users = users;
    this.passwords = passwords;
    this.audit = audit;
    this.file = directory.resolve("admin-credentials");
    this.wanted = wanted;
    this.clock = clock;
  }

  /** Whether the text may be the password of a user. */
  public static boolean isPassword(String text) {
    return text.length() >= Passwords.SHORTEST
        && text.length() <= Passwords.LONGEST
        && !CommonPasswords.contains(text);
  }

  /** The file with generated credentials, of mode 0600; the operator deletes it. */
  public Path file() {
    return file;
  }

  /**
   * Makes what is missing.
   *
   * @param storedTokens also those that have ended: an ended first token is not made again
   * @throws io.forebay.service.progress.Unavailable if the database does not respond; call it again
   */
  public void complete(List<StoredToken> storedTokens, List<StoredUser> storedUsers) {
    String other = FIRST + "-" + wanted.newAdmin();
    if (storedTokens.stream().noneMatch(it -> it.role().equals(StoredToken.ADMIN))) {
      makeToken(FIRST, wanted.token());
    } else if (!newAdminIsDone && !wanted.newAdmin().isEmpty()) {
      if (storedTokens.stream().noneMatch(it -> it.name().equals(other))) {
        makeToken(other, null);
      }
      newAdminIsDone = true; // an administrator may delete it
    }
    if (storedUsers.stream().noneMatch(it -> it.role().equals(StoredUser.ADMIN))) {
      makeUser();
    }
  }

  private void makeToken(String name, @Nullable String given) {
    String text = given == null ? TokenText.generate() : given;
    Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
    StoredToken token =
        new StoredToken(
            name,
            TokenText.hash(text),
            Role.ADMIN.text(),
            List.of("*"),
            Actor.SYSTEM.name(),
            now,
            now.plus(VALID));
    make(
        "Token " + name,
        TOKEN,
        given == null ? text : null,
        Audit.Entry.allowed(
            Actor.SYSTEM,
            "token.create",
            name,
            "role admin, ends at %s, statements *".formatted(token.expiresAt())),
        () -> tokens.add(token));
  }

  private void makeUser() {
    String password = Passwords.generate();
    StoredUser user =
        new StoredUser(
            FIRST,
            passwords.encode(password),
            StoredUser.ADMIN,
            true,
            Actor.SYSTEM.name(),
            clock.instant(),
            List.of());
    make(
        "User " + FIRST + " of the admin page",
        PASSWORD,
        password,
        Audit.Entry.allowed(Actor.SYSTEM, "user.create", FIRST, "role admin"),
        () -> users.add(user));
  }

  /**
   * Adds a token or a user. Of several instances that start at the same time one adds it.
   *
   * @param name its name in the file
   * @param generated what the file will have; null if it is from the configuration
   */
  private void make(
      String what,
      String name,
      @Nullable String generated,
      Audit.Entry entry,
      BooleanSupplier add) {
    if (generated != null) {
      write(name, generated);
    }
    audit.record(entry);
    if (!add.getAsBoolean()) {
      audit.record(entry.withOutcome("failed: another instance made it"));
      if (generated != null) {
        write(name, null);
      }
    } else if (generated != null) {
      log.info("{} created: {} is in {}; delete the file when you have read it", what, name, file);
    } else {
      log.info("{} created from the configuration", what);
    }
  }

  /**
   * Sets or removes one of the values; the others stay. A shell can read the file.
   *
   * @param value contains only letters, digits, hyphens and underscores; null to remove it
   */
  private void write(String name, @Nullable String value) {
    try {
      List<String> before = Files.exists(file) ? Files.readAllLines(file) : List.of();
      List<String> lines =
          Stream.concat(
                  before.stream()
                      .filter(line -> LINE.matcher(line).matches() && !line.startsWith(name + "=")),
                  Stream.ofNullable(value).map(it -> name + "=" + it))
              .map(line -> line + "\n")
              .toList();
      if (lines.isEmpty()) {
        Files.deleteIfExists(file);
      } else {
        PrivateFile.write(file, String.join("", lines).getBytes(StandardCharsets.US_ASCII));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
