/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.operations.Instances;
import io.forebay.service.Unavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tells the other instances once a second what this one is like, and hears from them, where they
 * share a database. A thread of its own asks the database, so that nobody waits for it.
 */
final class Neighbours implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(Neighbours.class);
  private static final Duration SHOWN = Duration.ofMinutes(1);
  private static final Duration KEPT = Duration.ofDays(1);
  private static final int FORGET_EVERY = 3600;

  private final @Nullable Instances instances;
  private final String self;
  private final JsonMapper json = FigureModule.mapper();
  private Thread thread = new Thread();
  private boolean running;
  private boolean answers = true;
  private @Nullable InstanceSummary coming;
  private volatile List<InstanceSummary> heard = List.of();

  /**
   * @param instances null where nothing is shared
   * @param self the name of this instance
   */
  Neighbours(@Nullable Instances instances, String self) {
    this.instances = instances;
    this.self = self;
  }

  /** What to tell next; what was not told yet is replaced. */
  synchronized void tell(InstanceSummary summary) {
    coming = summary;
    notifyAll();
  }

  /** Those that were seen within a minute. */
  List<InstanceSummary> others(Instant now) {
    return heard.stream().filter(it -> it.seenAt().plus(SHOWN).isAfter(now)).toList();
  }

  @Override
  public synchronized void start() {
    running = true;
    Instances shared = instances;
    if (shared != null) {
      thread = Thread.ofPlatform().name("forebay-instances").daemon().unstarted(() -> run(shared));
      thread.start();
    }
  }

  private void run(Instances shared) {
    for (long turn = 0; ; turn++) {
      InstanceSummary summary = next();
      if (summary == null) {
        leave(shared);
        return;
      }
      try {
        exchange(shared, summary, turn % FORGET_EVERY == 0);
        if (!answers) {
          log.info("the other instances can be heard again");
        }
        answers = true;
      } catch (Unavailable e) {
        if (answers) {
          log.warn("{}; the other instances are shown as they were", e.getMessage());
        }
        answers = false;
      } catch (RuntimeException | Error e) {
        if (answers) {
          log.error("the other instances could not be heard; tried again every second", e);
        }
        answers = false;
      }
    }
  }

  /** One that is killed is shown for a minute more, with the time it was last seen. */
  private void leave(Instances shared) {
    try {
      shared.leave(self);
    } catch (Unavailable e) {
      log.info(
          "{}; the other instances will see within a minute that this one is gone", e.getMessage());
    }
  }

  private synchronized @Nullable InstanceSummary next() {
    try {
      while (running && coming == null) {
        wait();
      }
    } catch (InterruptedException _) {
      return null;
    }
    InstanceSummary next = running ? coming : null;
    coming = null;
    return next;
  }

  private void exchange(Instances shared, InstanceSummary summary, boolean forget) {
    shared.tell(self, text(summary));
    Instant now = Instant.now();
    List<InstanceSummary> others = new ArrayList<>();
    for (Instances.Seen seen : shared.seenWithin(SHOWN)) {
      if (!seen.instance().equals(self)) {
        others.add(summary(seen, now.minus(seen.age())));
      }
    }
    heard = List.copyOf(others);
    if (forget) {
      shared.forget(KEPT);
    }
  }

  /** With as many services as there is room for; they are in the order of their urgency. */
  private String text(InstanceSummary summary) {
    for (int count = summary.services().size(); ; count = count * 3 / 4) {
      String text =
          json.writeValueAsString(
              new InstanceSummary(
                  summary.name(),
                  summary.backend(),
                  summary.seenAt(),
                  summary.seq(),
                  false,
                  summary.services().subList(0, count)));
      if (text.length() <= Instances.MAX_SUMMARY || count == 0) {
        return text;
      }
    }
  }

  private InstanceSummary summary(Instances.Seen seen, Instant at) {
    try {
      JsonNode node = json.readTree(seen.summary());
      List<JsonNode> services = new ArrayList<>();
      node.path("services").forEach(services::add);
      return new InstanceSummary(
          seen.instance(),
          node.path("backend").asString(""),
          at,
          node.path("seq").asLong(0),
          false,
          services);
    } catch (JacksonException _) {
      return new InstanceSummary(seen.instance(), "", at, 0, false, List.of());
    }
  }

  @Override
  public void stop() {
    Thread current;
    synchronized (this) {
      running = false;
      current = thread;
      notifyAll();
    }
    try {
      current.join(); // its statements have a time of their own
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public synchronized boolean isRunning() {
    return running;
  }

  /** Stops with the sampling. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
