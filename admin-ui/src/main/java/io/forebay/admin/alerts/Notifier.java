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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Reports changes of alerts to the webhook, on a thread of its own. A request that fails is
 * repeated after 1, 2, 4 s and so on, at most a minute: an opening as long as the alert is open, a
 * closing for an hour. What was reported is in the {@link AlertLog}: after a restart nothing is
 * reported twice, except a report that was under way when the process was killed; its id is then
 * the same.
 */
final class Notifier implements SmartLifecycle {

  static final Duration GIVES_UP = Duration.ofHours(1);

  private static final Logger log = LoggerFactory.getLogger(Notifier.class);
  private static final Duration TURN = Duration.ofSeconds(1);
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
  private int failures;
  private volatile boolean running;

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
    task =
        new BackgroundTask(
            "forebay-alert-webhook",
            this::pause,
            new Outage(
                log,
                "Reporting alerts to the webhook at " + webhook.host(),
                "it is retried, at least every minute"),
            this::report);
  }

  Duration pause() {
    Duration next = TURN.multipliedBy(1L << Math.min(failures, MOST_DOUBLINGS));
    return next.compareTo(LONGEST) > 0 ? LONGEST : next;
  }

  /** One turn on the calling thread. */
  void turn() {
    task.run();
  }

  private void report() throws IOException, InterruptedException {
    Instant now = clock.instant();
    Duty duty = new Duty(self, peers.peers(now), least);
    alerts.hear(duty.peers());
    for (Notice notice : alerts.due(now, duty)) {
      if (alerts.isTooLate(notice, now, GIVES_UP)) {
        log.warn("Closing of alert {} not reported: the webhook did not accept it", notice.id());
        alerts.told(notice, true);
        continue;
      }
      try {
        webhook.send(notice);
      } catch (IOException | InterruptedException | RuntimeException e) {
        failures++;
        throw e;
      }
      failures = 0;
      alerts.told(notice, false);
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
