/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Checks the statements of a database when it first responds, and broken statements every 10 s,
 * because a change in the database may repair them.
 */
public final class CatalogueCheck implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(CatalogueCheck.class);
  private static final Duration TURN = Duration.ofMillis(500);
  private static final int TURNS_UNTIL_BROKEN = 20;

  private final LiveCatalogue catalogue;
  private final Gateways gateways;
  private volatile @Nullable Thread thread;

  public CatalogueCheck(LiveCatalogue catalogue, Gateways gateways) {
    this.catalogue = catalogue;
    this.gateways = gateways;
  }

  @Override
  public void start() {
    thread = Thread.ofVirtual().name("forebay-catalogue").start(this::run);
  }

  private void run() {
    for (long turn = 1; !Thread.currentThread().isInterrupted(); turn++) {
      try {
        catalogue.check(gateways.names(), gateways, turn % TURNS_UNTIL_BROKEN == 0);
        Thread.sleep(TURN);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException | Error e) {
        log.error("Catalogue not checked; its statements are sent unchecked", e);
        return;
      }
    }
  }

  @Override
  public void stop() {
    Thread current = thread;
    if (current != null) {
      current.interrupt();
      thread = null;
    }
  }

  @Override
  public boolean isRunning() {
    return thread != null;
  }
}
