/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import java.time.Duration;
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
  private final BackgroundTask task =
      new BackgroundTask(
          "forebay-catalogue",
          TURN,
          new Outage(log, "Check of the catalogue", "its statements are sent unchecked"),
          this::check);
  private long turns;

  public CatalogueCheck(LiveCatalogue catalogue, Gateways gateways) {
    this.catalogue = catalogue;
    this.gateways = gateways;
  }

  @Override
  public void start() {
    task.start();
  }

  private void check() {
    turns++;
    catalogue.check(gateways, turns % TURNS_UNTIL_BROKEN == 0);
  }

  @Override
  public void stop() {
    task.close(Duration.ZERO);
  }

  @Override
  public boolean isRunning() {
    return task.isRunning();
  }
}
