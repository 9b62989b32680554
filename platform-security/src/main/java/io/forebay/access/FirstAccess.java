/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.machine.CrashPoint;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.system.StoredToken;
import io.forebay.system.StoredUser;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Makes the first token and the first user, and the token that an operator wants who has lost all
 * others. These tokens end after {@link #VALID}: they serve to create lasting ones. Each is written
 * to the audit before it is stored. Used by one thread at a time.
 */
public final class FirstAccess {

  /** How long a token of this class is valid. */
  public static final Duration VALID = Duration.ofHours(24);

  private static final Logger log = LoggerFactory.getLogger(FirstAccess.class);

  private static final String FIRST = "admin";
  private static final int SEARCHED = 1_000;

  private final Tokens tokens;
  private final Logins logins;
  private final Passwords passwords;
  private final UnshownCredentials unshown;
  private final Audit audit;
  private final ApplicationEventPublisher events;
  private final Wanted wanted;
  private final InstantSource clock;

  /** The events of credentials that may not be stored or shown yet, by their stored form. */
  private final Map<String, Object> unpublished = new HashMap<>();

  private boolean newAdminTried;
  private boolean newAdminDone;
  private boolean replacedUnshown;

  /**
   * What the configuration says.
   *
   * @param token the text of the first token; null to generate it
   * @param password the first password of the first user; null to generate it
   * @param newAdmin makes the token {@code admin-} with this ending, once; empty for none
   */
  public record Wanted(@Nullable String token, @Nullable String password, String newAdmin) {

    /** Without the secrets. */
    @Override
    public String toString() {
      return "Wanted " + newAdmin;
    }
  }

  public FirstAccess(
      Tokens tokens,
      Logins logins,
      Passwords passwords,
      UnshownCredentials unshown,
      Audit audit,
      ApplicationEventPublisher events,
      Wanted wanted,
      InstantSource clock) {
    this.tokens = tokens;
    this.logins = logins;
    this.passwords = passwords;
    this.unshown = unshown;
    this.audit = audit;
    this.events = events;
    this.wanted = wanted;
    this.clock = clock;
    newAdminDone = wanted.newAdmin().isEmpty();
  }

  /** Whether the text may be the first password of the first user. */
  public static boolean isPassword(String text) {
    return text.length() >= Passwords.SHORTEST
        && text.length() <= Passwords.LONGEST
        && !CommonPasswords.contains(text);
  }

  /** Every credential that was made is shown or in a file. */
  void shown() {
    unshown.clear();
  }

  /**
   * Makes what is missing.
   *
   * @param found the tokens that exist, also those that have ended: an ended first token is not
   *     made again
   * @throws io.forebay.service.progress.Unavailable if the database does not respond; call it again
   */
  public void complete(List<StoredToken> found, List<StoredUser> users) {
    found.forEach(token -> publish(token.hash()));
    users.forEach(user -> publish(user.password()));
    if (found.stream().noneMatch(token -> token.role().equals(StoredToken.ADMIN))) {
      makeToken(free(FIRST, found), true);
      newAdminDone = true;
    } else if (!newAdminDone) {
      makeNewAdmin(FIRST + "-" + wanted.newAdmin(), found);
      newAdminDone = true;
    }
    if (users.stream().noneMatch(user -> user.role().equals(StoredUser.ADMIN))) {
      makeUser();
    }
    if (!replacedUnshown) {
      replaceUnshown(found, users);
      replacedUnshown = true;
    }
  }

  /**
   * Shows a credential that is stored. If the database did not say so, or if the credential cannot
   * be shown, this is repeated when it is read.
   */
  private void publish(String stored) {
    Object event = unpublished.get(stored);
    if (event != null) {
      events.publishEvent(event);
      unpublished.remove(stored);
    }
  }

  /** The name, or one that no token of another role has. */
  private String free(String name, List<StoredToken> found) {
    return found.stream().anyMatch(token -> token.name().equals(name))
        ? name + "-" + clock.instant().getEpochSecond()
        : name;
  }

  private void makeNewAdmin(String name, List<StoredToken> found) {
    boolean exists = found.stream().anyMatch(token -> token.name().equals(name));
    if (!exists && (newAdminTried || !wasMade(name))) {
      newAdminTried = true; // its entry in the audit may be of a try that did not store it
      makeToken(name, false);
    } else if (!newAdminTried) {
      log.warn(
          "No administrator token made: {} was made before; remove forebay.security.new-admin-token,"
              + " or give it another value if you need another token",
          name);
    }
  }

  /** Whether an earlier process made the token, which may have been deleted since. */
  private boolean wasMade(String name) {
    return audit
        .before(
            Long.MAX_VALUE, SEARCHED, new Audit.Filter(Actor.SYSTEM.name(), "token.create", false))
        .stream()
        .anyMatch(it -> it.entry().target().equals(name));
  }

  /**
   * Makes a token. Of several instances that start at the same time one makes it; the others find
   * it.
   */
  private void makeToken(String name, boolean first) {
    String given = first ? wanted.token() : null;
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
    Audit.Entry entry =
        Audit.Entry.allowed(
            Actor.SYSTEM,
            "token.create",
            name,
            "role admin, ends at %s, statements *".formatted(token.expiresAt()));
    audit.record(entry);
    if (given == null) {
      unshown.mark(token.hash());
      unpublished.put(token.hash(), new AdminTokenMade(name, text, first));
    }
    if (!tokens.add(token)) {
      audit.record(entry.withOutcome("failed: another instance made it"));
      return;
    }
    CrashPoint.hit("token-stored");
    publish(token.hash());
    if (given != null) {
      log.info(
          "Token {} made from forebay.security.first-token; it ends at {}",
          name,
          token.expiresAt());
    }
  }

  private void makeUser() {
    String given = wanted.password();
    String password = given == null ? Passwords.generate() : given;
    StoredUser user =
        new StoredUser(
            FIRST,
            passwords.hash(password),
            StoredUser.ADMIN,
            true,
            Actor.SYSTEM.name(),
            clock.instant());
    Audit.Entry entry = Audit.Entry.allowed(Actor.SYSTEM, "user.create", FIRST, "role admin");
    audit.record(entry);
    if (given == null) {
      unshown.mark(user.password());
      unpublished.put(user.password(), new AdminPasswordMade(FIRST, password));
    }
    if (!logins.add(user)) {
      audit.record(entry.withOutcome("failed: another instance made it"));
      return;
    }
    CrashPoint.hit("password-stored");
    publish(user.password());
    if (given != null) {
      log.info("User {} made with the password of forebay.security.first-password", FIRST);
    }
  }

  /**
   * Replaces credentials of a process that died between storing and showing them: nobody knows
   * them.
   */
  private void replaceUnshown(List<StoredToken> foundTokens, List<StoredUser> foundUsers) {
    for (StoredToken token : foundTokens) {
      if (unshown.areOfFormer(token.hash())) {
        String text = TokenText.generate();
        Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        StoredToken other = token.replaced(TokenText.hash(text), now, now.plus(VALID));
        Audit.Entry entry =
            Audit.Entry.allowed(
                Actor.SYSTEM, "token.replace", token.name(), "ends at " + other.expiresAt());
        audit.record(entry);
        unshown.mark(other.hash());
        unpublished.put(
            other.hash(), new AdminTokenMade(token.name(), text, token.name().equals(FIRST)));
        if (tokens.replace(token, other)) {
          publish(other.hash());
        } else {
          audit.record(entry.withOutcome("failed: another instance replaced it"));
        }
      }
    }
    for (StoredUser user : foundUsers) {
      if (user.mustChange() && unshown.areOfFormer(user.password())) {
        String password = Passwords.generate();
        String hash = passwords.hash(password);
        Audit.Entry entry = Audit.Entry.allowed(Actor.SYSTEM, "user.password", user.name(), "");
        audit.record(entry);
        unshown.mark(hash);
        unpublished.put(hash, new AdminPasswordMade(user.name(), password));
        if (logins.givePassword(user, hash)) {
          publish(hash);
        } else {
          audit.record(entry.withOutcome("failed: it was changed meanwhile"));
        }
      }
    }
  }
}
