/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The record of logins while the system database is unavailable: each is logged at once, and
 * written to the audit when the database responds again. A process that ends before has them only
 * in the log; of more than {@value #MOST}, the audit has the last. Thread-safe.
 */
public final class ReadOnlyLogins implements SmartLifecycle {

  static final int MOST = 1_000;

  private static final Logger log = LoggerFactory.getLogger(ReadOnlyLogins.class);
  private static final Duration EVERY = Duration.ofSeconds(2);

  private final Audit audit;
  private final Deque<Audit.Entry> unrecorded = new ArrayDeque<>();
  private final BackgroundTask task =
      new BackgroundTask(
          "forebay-read-only-logins",
          EVERY,
          new Outage(
              log, "Writing read-only logins to the audit", "they are kept, retrying every 2 s"),
          this::write);

  public ReadOnlyLogins(Audit audit) {
    this.audit = audit;
  }

  /** Records a login. */
  public void add(LoggedIn login, String address) {
    Actor actor = new Actor(Actor.Kind.USER, login.user().name(), login.user().role(), address);
    log.warn(
        "Read-only login of {} from {}: the system database is unavailable",
        actor.name(),
        actor.address());
    Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    synchronized (unrecorded) {
      if (unrecorded.size() >= MOST) {
        unrecorded.removeFirst();
      }
      unrecorded.add(
          Audit.Entry.allowed(
              actor,
              "session.login",
              actor.name(),
              "read-only at %s, while the system database was unavailable".formatted(now)));
    }
  }

  private void write() {
    for (Audit.Entry next = first(); next != null; next = first()) {
      audit.record(next);
      synchronized (unrecorded) {
        unrecorded.remove(next);
      }
    }
  }

  private Audit.@Nullable Entry first() {
    synchronized (unrecorded) {
      return unrecorded.peekFirst();
    }
  }

  @Override
  public void start() {
    task.start(EVERY);
  }

  /** Also writes the remaining entries. */
  @Override
  public void stop() {
    task.run();
    task.close(Duration.ZERO);
  }

  @Override
  public boolean isRunning() {
    return task.isRunning();
  }

  @Override
  public int getPhase() {
    return 0;
  }
}
