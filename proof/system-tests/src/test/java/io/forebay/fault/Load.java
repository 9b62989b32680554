/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.call.Writer;
import io.forebay.fault.History.Acknowledgement;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.Tailer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Sends statements in bursts from three threads: one without order, one that keeps lists in order,
 * and one with idempotency keys. Each records in the journal what it is about to send, and the
 * outcome.
 */
final class Load {

  /** The senders; the ordinal is part of the numbers of their statements. */
  enum Sender {
    UNORDERED,
    ORDERED,
    KEYED
  }

  private static final Duration ACCEPT_TIMEOUT = Duration.ofSeconds(120);

  private final JDBCService service;
  private final Journal journal;
  private final Plan plan;
  private final long maxBacklog;
  private final Consumer<Throwable> onFailure;
  private final AtomicLong accepted = new AtomicLong();
  private volatile List<Thread> threads = List.of();
  private volatile boolean stopping;

  Load(
      JDBCService service,
      Journal journal,
      Plan plan,
      long maxBacklog,
      Consumer<Throwable> onFailure) {
    this.service = service;
    this.journal = journal;
    this.plan = plan;
    this.maxBacklog = maxBacklog;
    this.onFailure = onFailure;
  }

  /** How many statements were accepted. */
  long accepted() {
    return accepted.get();
  }

  /** Sends earlier keyed statements again, then new ones until {@link #stop()}. */
  void start(List<Invocation> again) {
    stopping = false;
    threads =
        List.of(
            sender("unordered", () -> send(service.createWriter(), Sender.UNORDERED)),
            sender("ordered", this::sendOrdered),
            sender(
                "keyed",
                () -> {
                  try (Writer<JDBCStatement> writer = service.createWriter()) {
                    burst(writer, again);
                  }
                  send(service.createWriter(), Sender.KEYED);
                }));
    threads.forEach(Thread::start);
  }

  /** Stops sending; returns when the last burst is accepted. */
  void stop() throws InterruptedException {
    stopping = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private Thread sender(String name, Sending sending) {
    return Thread.ofPlatform()
        .name("load-" + name)
        .daemon()
        .unstarted(() -> {
          try {
            sending.run();
          } catch (Exception | Error e) {
            onFailure.accept(e);
          }
        });
  }

  private void send(Writer<JDBCStatement> writer, Sender sender)
      throws TimeoutException, InterruptedException {
    RandomGenerator random = plan.random(sender.ordinal());
    try (writer) {
      while (!stopping) {
        burst(writer, plan.burst(sender, random));
        rest(random);
      }
    }
  }

  /** Sends ordered statements. Each list has its own writer, with the list's name as key. */
  private void sendOrdered() throws TimeoutException, InterruptedException {
    RandomGenerator random = plan.random(Sender.ORDERED.ordinal());
    List<Writer<JDBCStatement>> writers = plan.lists().stream().map(service::createWriter).toList();
    try {
      while (!stopping) {
        int list = random.nextInt(writers.size());
        burst(writers.get(list), plan.orderedBurst(plan.lists().get(list), random));
        rest(random);
      }
    } finally {
      writers.forEach(Writer::close);
    }
  }

  private void rest(RandomGenerator random) {
    do {
      LockSupport.parkNanos(random.nextLong(20_000_000));
    } while (!stopping && backlog(service) > maxBacklog);
  }

  /** The number of accepted statements without an answer; up to a second old. */
  private static long backlog(JDBCService service) {
    long backlog = 0;
    for (int partition = 0; partition < service.in().partitions(); partition++) {
      QueueStats stats = service.in().stats(partition);
      long own = service.position(partition);
      long passed = stats.passed().getOrDefault(ServiceArguments.SERVICE, 0L);
      backlog += Math.max(0, stats.end().orElse(0) - Math.max(own, passed));
    }
    return backlog;
  }

  /** Whether all accepted statements are answered, in the partitions that this process performs. */
  static boolean quiet(JDBCService service) {
    for (int partition = 0; partition < service.in().partitions(); partition++) {
      try (Tailer tailer = service.in().tailer(partition)) {
        if (tailer.end() > service.position(partition)) {
          return false;
        }
      }
    }
    return true;
  }

  private void burst(Writer<JDBCStatement> writer, List<Invocation> statements)
      throws TimeoutException, InterruptedException {
    journal.invoked(statements);
    Map<Long, Invocation> taken = new LinkedHashMap<>();
    Map<Long, Place> places = new ConcurrentHashMap<>();
    writer.onAcknowledged(
        (partition, ticket, position) -> places.put(ticket, new Place(partition, position)));
    for (Invocation statement : statements) {
      try {
        Workload.send(writer, statement);
        taken.put(writer.lastTicket(), statement);
      } catch (QueueRefused e) {
        journal.refused(List.of(statement));
        LockSupport.parkNanos(e.retryAfter().toNanos());
      }
    }
    if (!taken.isEmpty()) {
      writer.await(ACCEPT_TIMEOUT);
      while (places.size() < taken.size()) {
        Thread.sleep(1); // the listener is called a moment later
      }
      List<Acknowledgement> acknowledged = new ArrayList<>(taken.size());
      taken.forEach((ticket, statement) ->
          acknowledged.add(
              new Acknowledgement(statement.number(), statement.attempt(), places.get(ticket))));
      journal.acknowledged(acknowledged);
      accepted.addAndGet(taken.size());
    }
  }

  /** The work of a sender. */
  private interface Sending {
    void run() throws TimeoutException, InterruptedException;
  }
}
