/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.capacity.Alert.Severity;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Reports changes of alerts to the webhook, on a thread of its own. A request that fails is
 * repeated after 1, 2, 4 s and so on, at most a minute: an opening as long as the alert is open, a
 * closing for an hour. One that the receiver refuses delays no other. What was reported is in the
 * {@link AlertLog}: after a restart nothing is reported twice, except a report that was under way
 * when the process was killed; its id is then the same.
 */
final class Notifier implements SmartLifecycle {

  static final Duration GIVES_UP = Duration.ofHours(1);

  private static final Logger log = LoggerFactory.getLogger(Notifier.class);
  private static final Duration TURN = Duration.ofSeconds(1);
  private static final Duration STORED_WITHIN = Duration.ofSeconds(5);
  private static final Duration STOPS_WITHIN = Duration.ofSeconds(5);
  private static final int MOST_DOUBLINGS = 6;
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final AlertLog alerts;
  private final Peers peers;
  private final Webhook webhook;
  private final String self;
  private final Severity least;
  private final InstantSource clock;
  private final BackgroundTask task;
  private final Outage outage;
  private final Map<String, Attempts> failed = new HashMap<>();
  private volatile boolean running;

  /**
   * Failed attempts to report one change.
   *
   * @param next when the next one is due
   */
  private record Attempts(int count, Instant next) {

    Attempts after(Instant now) {
      return new Attempts(count + 1, now.plus(pause(count + 1)));
    }

    /** If the clock was set back, it is due at once. */
    boolean isDue(Instant now) {
      return !now.isBefore(next) || Duration.between(now, next).compareTo(LONGEST) > 0;
    }
  }

  Notifier(
      AlertLog alerts,
      Peers peers,
      Webhook webhook,
      String self,
      Severity least,
      InstantSource clock) {
    this.alerts = alerts;
    this.peers = peers;
    this.webhook = webhook;
    this.self = self;
    this.least = least;
    this.clock = clock;
    outage =
        new Outage(
            log,
            "Reporting an alert to the webhook at " + webhook.host(),
            "it is retried, at least every minute");
    task =
        new BackgroundTask(
            "forebay-alert-webhook",
            TURN,
            new Outage(log, "Looking for alerts to report", "it is retried every second"),
            this::report);
  }

  static Duration pause(int failures) {
    Duration next = TURN.multipliedBy(1L << Math.min(failures - 1, MOST_DOUBLINGS));
    return next.compareTo(LONGEST) > 0 ? LONGEST : next;
  }

  /** One turn on the calling thread. */
  void turn() {
    task.run();
  }

  private void report() throws InterruptedException {
    Instant now = clock.instant();
    Duty duty = new Duty(self, peers.peers(now), least);
    alerts.hear(duty.peers());
    List<Notice> due = alerts.due(now, duty);
    if (!due.isEmpty()) {
      alerts.awaitStored(STORED_WITHIN); // after a kill, the alert is known, and has the same id
    }
    failed.keySet().retainAll(due.stream().map(Notice::id).toList());
    for (Notice notice : due) {
      Attempts attempts = failed.getOrDefault(notice.id(), new Attempts(0, now));
      if (alerts.isTooLate(notice, now, GIVES_UP)) {
        log.warn("Closing of alert {} not reported: the webhook did not accept it", notice.id());
        alerts.reported(notice, true);
      } else if (attempts.isDue(now) && !isAnswered(notice, attempts.after(now))) {
        return; // the others would wait as long for an answer
      }
    }
  }

  /** Sends one request; returns whether the receiver answered, even if it did not accept it. */
  private boolean isAnswered(Notice notice, Attempts ifItFails) throws InterruptedException {
    try {
      int status = webhook.send(notice);
      if (status >= 200 && status <= 299) {
        outage.over();
        alerts.reported(notice, false);
      } else {
        failed.put(notice.id(), ifItFails);
        outage.failed(new IOException("it answered " + status));
      }
      return true;
    } catch (IOException e) {
      failed.put(notice.id(), ifItFails);
      outage.failed(e);
      return false;
    }
  }

  @Override
  public void start() {
    running = true;
    task.start();
  }

  @Override
  public void stop() {
    running = false;
    task.close(STOPS_WITHIN);
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Starts last and stops first. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
