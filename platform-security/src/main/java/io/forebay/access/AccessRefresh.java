/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.system.StoredToken;
import io.forebay.system.StoredUser;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;

/**
 * Regularly reads tokens and users in its own thread. Has the first token and the first user made
 * when the system database first responds.
 */
public final class AccessRefresh implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(AccessRefresh.class);

  private final Tokens tokens;
  private final Users users;
  private final FirstAccess first;
  private final Duration period;
  private final BackgroundTask task;
  private volatile boolean serving;

  /**
   * @param period how often it reads
   */
  public AccessRefresh(Tokens tokens, Users users, FirstAccess first, Duration period) {
    this.tokens = tokens;
    this.users = users;
    this.first = first;
    this.period = period;
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

  /** The start succeeded: from now on credentials are made. */
  @EventListener(ApplicationStartedEvent.class)
  void started() {
    serving = true;
    task.run();
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
    List<StoredToken> storedTokens = tokens.refresh();
    List<StoredUser> storedUsers = users.refresh();
    if (serving) { // a token made before would be lost if the start failed
      first.complete(storedTokens, storedUsers);
    }
  }
}
