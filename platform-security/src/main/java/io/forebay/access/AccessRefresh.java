/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.service.CrashPoint;
import io.forebay.system.StoredToken;
import io.forebay.system.StoredUser;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;

/**
 * Regularly reads tokens, users and sessions in its own thread. Creates the first token and the
 * first user when the system database first responds.
 */
public final class AccessRefresh implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(AccessRefresh.class);

  private static final String FIRST = "admin";
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

  private final Tokens tokens;
  private final Logins logins;
  private final Passwords passwords;
  private final UnshownCredentials unshown;
  private final ApplicationEventPublisher events;
  private final Duration period;
  private final InstantSource clock;
  private final BackgroundTask task;
  private boolean newAdminWanted;
  private volatile boolean serving;
  private boolean replacedUnshown;

  /**
   * @param period how often it reads
   * @param newAdminWanted whether it makes another token of role admin once
   */
  public AccessRefresh(
      Tokens tokens,
      Logins logins,
      Passwords passwords,
      UnshownCredentials unshown,
      ApplicationEventPublisher events,
      Duration period,
      boolean newAdminWanted,
      InstantSource clock) {
    this.tokens = tokens;
    this.logins = logins;
    this.passwords = passwords;
    this.unshown = unshown;
    this.events = events;
    this.period = period;
    this.newAdminWanted = newAdminWanted;
    this.clock = clock;
    task =
        new BackgroundTask(
            "forebay-access",
            period,
            new Outage(
                log,
                "Reading tokens and users",
                "the previous ones stay active, retrying every %d ms".formatted(period.toMillis())),
            this::refresh);
  }

  /** Reads once before the first request can arrive. */
  @Override
  public void start() {
    tokens.restore();
    task.run();
    task.start(period);
  }

  /** The start succeeded: from now on newly made tokens are also printed. */
  @EventListener(ApplicationStartedEvent.class)
  void started() {
    serving = true;
    task.run();
  }

  /** Logs each new credential once. */
  @EventListener
  void shown(CredentialsShown event) {
    unshown.clear();
  }

  @Override
  public void stop() {
    task.close(Duration.ZERO);
  }

  @Override
  public boolean isRunning() {
    return task.isRunning();
  }

  /** Starts before the web server. */
  @Override
  public int getPhase() {
    return 0;
  }

  private void refresh() {
    List<StoredToken> found = tokens.refresh();
    List<StoredUser> users = logins.refresh();
    if (!serving) {
      return; // a token made now would be lost if the start failed
    }
    if (found.stream().noneMatch(token -> token.role().equals(StoredToken.ADMIN))) {
      make(FIRST, true);
      newAdminWanted = false;
    } else if (newAdminWanted) {
      make(FIRST + "-" + SECONDS.format(clock.instant()), false);
      newAdminWanted = false;
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
   * Makes a token. Of several instances that start at the same time one makes it; the others find
   * it.
   */
  private void make(String name, boolean first) {
    String text = TokenText.generate();
    StoredToken token =
        new StoredToken(
            name, TokenText.hash(text), Role.ADMIN.text(), List.of("*"), "system", clock.instant());
    unshown.mark(token.hash());
    if (tokens.add(token)) {
      CrashPoint.hit("token-stored");
      events.publishEvent(new AdminTokenMade(name, text, first));
    }
  }

  private void makeUser() {
    String password = Passwords.generate();
    StoredUser user =
        new StoredUser(
            FIRST, passwords.hash(password), StoredUser.ADMIN, true, "system", clock.instant());
    unshown.mark(user.password());
    if (logins.add(user)) {
      CrashPoint.hit("password-stored");
      events.publishEvent(new AdminPasswordMade(FIRST, password));
    }
  }

  /**
   * Replaces credentials of a process that died between storing and printing them: nobody knows
   * them.
   */
  private void replaceUnshown(List<StoredToken> foundTokens, List<StoredUser> foundUsers) {
    for (StoredToken token : foundTokens) {
      if (unshown.areOfFormer(token.hash())) {
        String text = TokenText.generate();
        unshown.mark(TokenText.hash(text));
        if (tokens.replace(token, token.withHash(TokenText.hash(text)))) {
          events.publishEvent(new AdminTokenMade(token.name(), text, token.name().equals(FIRST)));
        }
      }
    }
    for (StoredUser user : foundUsers) {
      if (user.mustChange() && unshown.areOfFormer(user.password())) {
        String password = Passwords.generate();
        String hash = passwords.hash(password);
        unshown.mark(hash);
        if (logins.givePassword(user, hash)) {
          events.publishEvent(new AdminPasswordMade(user.name(), password));
        }
      }
    }
  }
}
