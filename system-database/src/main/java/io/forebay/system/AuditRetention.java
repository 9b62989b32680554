/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes expired audit entries once an hour, on its own thread. */
final class AuditRetention implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(AuditRetention.class);

  private final ToLongFunction<Instant> deleteBefore;
  private final Duration kept;
  private final InstantSource clock;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("forebay-audit-retention").factory());

  AuditRetention(ToLongFunction<Instant> deleteBefore, Duration kept, InstantSource clock) {
    this.deleteBefore = deleteBefore;
    this.kept = kept;
    this.clock = clock;
  }

  void start() {
    timer.scheduleWithFixedDelay(this::deleteOld, 1, 60, TimeUnit.MINUTES);
  }

  void deleteOld() {
    try {
      long deleted = deleteBefore.applyAsLong(clock.instant().minus(kept));
      if (deleted > 0) {
        log.info("Audit entries deleted: {} entries were older than {}", deleted, kept);
      }
    } catch (Unavailable e) {
      log.info("Audit entries not deleted, retry in an hour: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      log.error("Audit entries not deleted; retry in an hour", e);
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
