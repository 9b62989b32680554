/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.operations.Instances;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/**
 * Exchanges summaries with the other instances once a second, if they share a database. A separate
 * thread accesses the database, so that nothing else waits for it.
 */
final class Neighbours implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(Neighbours.class);
  private static final Duration SHOWN = Duration.ofMinutes(1);
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final Duration KEPT = Duration.ofDays(1);
  private static final Duration UNTIL_WOKEN = Duration.ofDays(1);
  private static final int FORGET_EVERY = 3600;

  private final @Nullable Instances instances;
  private final String self;
  private final Supplier<Set<String>> predecessors;
  private final JsonMapper json = FigureModule.mapper();
  private final BackgroundTask task =
      new BackgroundTask(
          "forebay-instances",
          UNTIL_WOKEN,
          new Outage(
              log,
              "Exchange of summaries with other instances",
              "the last ones are shown; retried every second"),
          this::exchange);
  private long exchanges;
  private boolean replaced;
  private volatile boolean running;
  private volatile @Nullable InstanceSummary latest;
  private volatile List<InstanceSummary> heard = List.of();
  private volatile @Nullable Instant unanswered;

  /**
   * @param instances null if no database is shared
   * @param self the name of this instance
   * @param predecessors the names of processes that this one replaced; asked after the start
   */
  Neighbours(@Nullable Instances instances, String self, Supplier<Set<String>> predecessors) {
    this.instances = instances;
    this.self = self;
    this.predecessors = predecessors;
  }

  /** Sets the summary to send next; replaces one that has not been sent. */
  void tell(InstanceSummary summary) {
    latest = summary;
    task.wake();
  }

  /** The other instances that were seen within a minute. */
  List<InstanceSummary> others(Instant now) {
    return heard.stream().filter(it -> it.seenAt().plus(SHOWN).isAfter(now)).toList();
  }

  /**
   * Since when the shared database has not responded; null if it responds, takes less than 3 s, or
   * is not shared.
   */
  @Nullable Instant databaseAway(Instant now) {
    Instant since = unanswered;
    return since == null || since.plus(PATIENCE).isAfter(now) ? null : since;
  }

  @Override
  public void start() {
    running = true;
    if (instances != null) {
      task.start();
    }
  }

  /**
   * Removes the summary of this instance. A killed instance is still shown for a minute, with the
   * time it was last seen, unless another process starts with its data directory.
   */
  private void leave(Instances shared) {
    try {
      shared.leave(self);
    } catch (Unavailable e) {
      log.info(
          "The summary of this instance could not be removed: {}; others show it for up to a minute",
          e.getMessage());
    }
  }

  void exchange() {
    try {
      exchangeNow();
    } catch (Unavailable e) {
      throw e;
    } catch (RuntimeException e) {
      unanswered = null; // the database is not the cause
      throw e;
    }
  }

  private void exchangeNow() {
    Instances shared = instances;
    InstanceSummary next = latest;
    if (shared == null || next == null) {
      return;
    }
    boolean forget = exchanges++ % FORGET_EVERY == 0;
    String text = json.writeValueAsString(next);
    if (unanswered == null) {
      unanswered = Instant.now();
    }
    if (!replaced) {
      predecessors.get().forEach(shared::leave);
      replaced = true;
    }
    shared.tell(self, text);
    Instant now = Instant.now();
    List<Instances.Seen> seenNow = shared.seenWithin(SHOWN);
    unanswered = null;
    List<InstanceSummary> others = new ArrayList<>();
    for (Instances.Seen seen : seenNow) {
      if (!seen.instance().equals(self)) {
        others.add(summary(seen, now.minus(seen.age())));
      }
    }
    heard = List.copyOf(others);
    if (forget) {
      shared.forget(KEPT);
    }
  }

  private InstanceSummary summary(Instances.Seen seen, Instant at) {
    JsonNode node;
    try {
      node = json.readTree(seen.summary());
    } catch (JacksonException _) {
      node = MissingNode.getInstance();
    }
    return new InstanceSummary(
        seen.instance(),
        node.path("backend").asString(""),
        at,
        false,
        node.path("count").asInt(0),
        node.path("bad").asLong(0),
        node.get("worst"));
  }

  @Override
  public void stop() {
    running = false;
    task.close(); // its statements have their own timeout
    if (instances != null) {
      leave(instances);
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Stops with the sampling. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
