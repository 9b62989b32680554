/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Counts refused requests by caller, address, action and reason, and writes the counts to log and
 * audit once a minute, in its own thread. It holds at most {@value #KINDS} kinds of refusals for
 * each of {@link Names}; what exceeds that counts as one. The counts wait while the audit cannot be
 * written. Thread-safe.
 */
final class Refusals implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(Refusals.class);

  static final int KINDS = 100;

  private static final Duration EVERY = Duration.ofMinutes(1);

  private static final Refusal OTHERS =
      new Refusal(
          new Actor(Actor.Kind.UNKNOWN, "several", "none", "several"),
          "refused",
          "several",
          0,
          Names.NOBODY);

  private final Audit audit;
  private Map<Refusal, Long> counts = new LinkedHashMap<>();
  private final BackgroundTask task =
      new BackgroundTask(
          "forebay-refusals",
          EVERY,
          new Outage(log, "Writing refusals to the audit", "they are kept, retrying every minute"),
          this::write);

  Refusals(Audit audit) {
    this.audit = audit;
  }

  /** Whom a refusal names. Callers can make up any path, and must not hide wrong passwords. */
  enum Names {
    /** A user whom somebody failed to log in as. */
    USER,
    CALLER,
    NOBODY
  }

  private record Refusal(Actor actor, String method, String path, int status, Names names) {}

  synchronized void add(Actor actor, String method, String path, int status, Names names) {
    count(new Refusal(actor, method, path, status, names), 1);
  }

  private void count(Refusal refusal, long times) {
    boolean room =
        counts.containsKey(refusal)
            || counts.keySet().stream().filter(it -> it.names() == refusal.names()).count() < KINDS;
    counts.merge(room ? refusal : OTHERS, times, Long::sum);
  }

  /** Writes the counts. Counts that cannot be written are kept. */
  void flush() {
    task.run();
  }

  private void write() {
    Map<Refusal, Long> taken = take();
    try {
      log(taken);
      while (!taken.isEmpty()) {
        Map.Entry<Refusal, Long> next = taken.entrySet().iterator().next();
        audit.record(entry(next.getKey(), next.getValue()));
        taken.remove(next.getKey());
      }
    } finally {
      putBack(taken);
    }
  }

  private synchronized Map<Refusal, Long> take() {
    Map<Refusal, Long> taken = counts;
    counts = new LinkedHashMap<>();
    return taken;
  }

  private synchronized void putBack(Map<Refusal, Long> taken) {
    taken.forEach(this::count);
  }

  private static void log(Map<Refusal, Long> taken) {
    Map<String, Long> byAddress = new LinkedHashMap<>();
    taken.forEach((refusal, count) -> byAddress.merge(refusal.actor().address(), count, Long::sum));
    byAddress.forEach((address, count) -> log.warn("Refused requests from {}: {}", address, count));
  }

  private static Audit.Entry entry(Refusal refusal, long count) {
    String outcome =
        refusal.status() == 0
            ? "refused, " + times(count)
            : "refused (%d), %s".formatted(refusal.status(), times(count));
    return new Audit.Entry(
        refusal.actor(), "http." + refusal.method(), refusal.path(), "", outcome);
  }

  private static String times(long count) {
    return count == 1 ? "once" : count + " times";
  }

  @Override
  public void start() {
    task.start(EVERY);
  }

  /** Also writes the remaining counts. */
  @Override
  public void stop() {
    flush();
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
