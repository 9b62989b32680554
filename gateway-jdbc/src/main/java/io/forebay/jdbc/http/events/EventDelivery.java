/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.events;

import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Sends new results to all subscribers, with one thread and without waiting for any of them: a
 * thread for each would take more memory. A subscriber that takes nothing is left out until its
 * connection takes something again; one that must read the queue does so in a thread of its own.
 * Thread-safe.
 */
public final class EventDelivery implements SmartLifecycle {

  private static final Duration SWEEP = Duration.ofSeconds(1);

  private static final Logger log = LoggerFactory.getLogger(EventDelivery.class);

  private final Queue<EventSubscriber> signalled = new ConcurrentLinkedQueue<>();
  private final Set<EventSubscriber> subscribers = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Thread thread;
  private volatile boolean idle;
  private volatile boolean running;

  void add(EventSubscriber subscriber) {
    subscribers.add(subscriber);
    if (!running) {
      subscriber.end(); // the thread may have ended before it could see it
    }
  }

  void remove(EventSubscriber subscriber) {
    subscribers.remove(subscriber);
  }

  /** Lets the thread deliver to a subscriber. */
  void signal(EventSubscriber subscriber) {
    signalled.add(subscriber);
    if (idle) {
      LockSupport.unpark(thread);
    }
  }

  /** Whether events may be sent; if not, the service is stopping. */
  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public synchronized void start() {
    if (!running) {
      running = true;
      thread = Thread.ofPlatform().daemon().name("forebay-events").start(this::deliver);
    }
  }

  /** Ends all events, so that they do not delay the stop of the process. */
  @Override
  public synchronized void stop() {
    if (running) {
      running = false;
      Thread delivering = Objects.requireNonNull(thread);
      LockSupport.unpark(delivering);
      try {
        delivering.join(SWEEP);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Stops before the web server, which lets running requests finish. */
  @Override
  public int getPhase() {
    return SmartLifecycle.DEFAULT_PHASE;
  }

  private void deliver() {
    EventBuffer buffer = new EventBuffer();
    long sweepAt = System.nanoTime();
    while (running) {
      try {
        EventSubscriber next = signalled.poll();
        if (next != null) {
          next.deliver(buffer);
        } else {
          rest();
        }
        if (System.nanoTime() - sweepAt >= 0) {
          sweepAt = System.nanoTime() + SWEEP.toNanos();
          subscribers.forEach(EventSubscriber::signalIfDue);
        }
      } catch (RuntimeException | Error e) {
        log.error("Events to a subscriber failed; other subscribers still receive theirs", e);
      }
    }
    subscribers.forEach(EventSubscriber::end);
  }

  private void rest() {
    idle = true;
    if (signalled.isEmpty() && running) {
      LockSupport.parkNanos(this, SWEEP.toNanos());
    }
    idle = false;
  }
}
