/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.demo;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.queue.QueueRefused;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Customers who arrive as {@link Day} defines; now and then one sends a statement that the database
 * refuses. Rows are deleted after an hour, so that the demo stays small even if it runs for weeks.
 */
final class DemoTraffic implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(DemoTraffic.class);

  private static final Duration TURN = Duration.ofMillis(100);
  private static final int TURNS_PER_SECOND = 10;
  private static final int TURNS_PER_MINUTE = 60 * TURNS_PER_SECOND;

  /** An action of usual customers, with its rate. */
  private record Habit(double perSecond, Consumer<Shop> action) {}

  private static final List<Habit> HABITS =
      List.of(
          new Habit(20, Shop::order),
          new Habit(10, Shop::pay),
          new Habit(24, Shop::move),
          new Habit(18, Shop::write));

  private final Shop shop;
  private final DemoDay day;
  private final double[] due = new double[HABITS.size()];
  private final BackgroundTask task =
      new BackgroundTask(
          "forebay-demo",
          this::pause,
          new Outage(log, "The traffic of the demo", "it pauses"),
          this::turn);
  private long turns;
  private Duration pause = TURN;

  DemoTraffic(Shop shop, DemoDay day) {
    this.shop = shop;
    this.day = day;
  }

  @Override
  public void start() {
    log.info(
        "the demo is a shop whose day takes {} minutes, with about {} messages a second; rows"
            + " older than {} h are deleted",
        Day.LENGTH.toMinutes(),
        Math.round(HABITS.stream().mapToDouble(Habit::perSecond).sum()),
        Shop.KEPT.toHours());
    task.start();
  }

  @Override
  public void stop() {
    task.close(Duration.ZERO);
  }

  @Override
  public boolean isRunning() {
    return task.isRunning();
  }

  private Duration pause() {
    return pause;
  }

  private void turn() {
    pause = TURN;
    try {
      turn(turns++, day.now().load());
    } catch (QueueRefused e) {
      pause = e.retryAfter().compareTo(TURN) > 0 ? e.retryAfter() : TURN;
      throw e;
    }
  }

  /**
   * The actions of one tenth of a second: usual actions in proportion to the load, and the rare
   * ones.
   */
  private void turn(long turn, double load) {
    for (int i = 0; i < due.length; i++) {
      for (due[i] += HABITS.get(i).perSecond() * load / TURNS_PER_SECOND; due[i] >= 1; due[i]--) {
        HABITS.get(i).action().accept(shop);
      }
    }
    if (turn % (10 * TURNS_PER_SECOND) == 50) {
      shop.orderOfNothing();
    }
    if (turn % (7 * TURNS_PER_SECOND) == 35) {
      shop.payNothing();
    }
    if (turn % (5 * TURNS_PER_SECOND) == 0) {
      shop.orderWithLines();
    }
    if (turn % TURNS_PER_MINUTE == 0) {
      shop.forget();
    }
  }
}
