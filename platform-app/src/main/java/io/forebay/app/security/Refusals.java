/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.service.progress.Unavailable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Counts refused requests by caller, address, action and reason, and writes the counts to log and
 * audit once a minute, in its own thread. It holds at most {@value #KINDS} kinds of refusals and
 * counts all others as one. The counts wait while the audit cannot be written. Thread-safe.
 */
final class Refusals implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(Refusals.class);

  static final int KINDS = 100;

  private static final Refusal OTHERS =
      new Refusal(new Actor("several", "none", "several"), "refused", "several", 0);

  private final Audit audit;
  private Map<Refusal, Long> counts = new LinkedHashMap<>();
  private volatile @Nullable ScheduledExecutorService timer;

  Refusals(Audit audit) {
    this.audit = audit;
  }

  private record Refusal(Actor actor, String method, String path, int status) {}

  synchronized void add(Actor actor, String method, String path, int status) {
    Refusal refusal = new Refusal(actor, method, path, status);
    if (!counts.containsKey(refusal) && counts.size() >= KINDS) {
      refusal = OTHERS;
    }
    counts.merge(refusal, 1L, Long::sum);
  }

  /** Writes the counts. Counts that cannot be written are kept. */
  void flush() {
    Map<Refusal, Long> taken = take();
    try {
      log(taken);
      while (!taken.isEmpty()) {
        Map.Entry<Refusal, Long> next = taken.entrySet().iterator().next();
        audit.record(entry(next.getKey(), next.getValue()));
        taken.remove(next.getKey());
      }
    } catch (Unavailable e) {
      log.warn("refusals are not yet written to the audit: {}", e.getMessage());
      putBack(taken);
    } catch (RuntimeException | Error e) {
      log.error("refusals could not be written to the audit; it is retried", e);
      putBack(taken);
    }
  }

  private synchronized Map<Refusal, Long> take() {
    Map<Refusal, Long> taken = counts;
    counts = new LinkedHashMap<>();
    return taken;
  }

  private synchronized void putBack(Map<Refusal, Long> taken) {
    taken.forEach((refusal, count) -> {
      boolean room = counts.containsKey(refusal) || counts.size() < KINDS;
      counts.merge(room ? refusal : OTHERS, count, Long::sum);
    });
  }

  private static void log(Map<Refusal, Long> taken) {
    Map<String, Long> byAddress = new LinkedHashMap<>();
    taken.forEach((refusal, count) -> byAddress.merge(refusal.actor().address(), count, Long::sum));
    byAddress.forEach(
        (address, count) -> log.warn("{} requests from {} were refused", count, address));
  }

  private static Audit.Entry entry(Refusal refusal, long count) {
    String outcome =
        refusal.status() == 0
            ? "refused, %d times".formatted(count)
            : "refused (%d), %d times".formatted(refusal.status(), count);
    return new Audit.Entry(
        refusal.actor(), "http." + refusal.method(), refusal.path(), "", outcome);
  }

  @Override
  public void start() {
    ScheduledExecutorService started =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("forebay-refusals").factory());
    started.scheduleWithFixedDelay(this::flush, 1, 1, TimeUnit.MINUTES);
    timer = started;
  }

  /** Also writes the remaining counts. */
  @Override
  public void stop() {
    ScheduledExecutorService running = timer;
    if (running != null) {
      running.shutdown();
      timer = null;
      flush();
    }
  }

  @Override
  public boolean isRunning() {
    return timer != null;
  }

  @Override
  public int getPhase() {
    return 0;
  }
}
