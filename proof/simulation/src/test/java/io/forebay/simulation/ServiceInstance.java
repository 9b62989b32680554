/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.call.PendingResult;
import io.forebay.call.Writer;
import io.forebay.hosting.DefinedService;
import io.forebay.machine.Machine;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A process of a {@link ServiceHistory}: services, receivers of their answers, and callers. */
final class ServiceInstance {

  final SimulatedProcess process;
  final int host;
  private final ServiceHistory history;
  private final World world;
  private int sendersLeft;
  private boolean stopping;
  private @Nullable QueueBackend backend;
  private @Nullable Services services;

  ServiceInstance(ServiceHistory history, SimulatedProcess process, int host) {
    this.history = history;
    this.world = history.world;
    this.process = process;
    this.host = host;
    sendersLeft = history.plan.base().senders();
  }

  void run() {
    world.trace.add(world, process.name(), "starts");
    process.onFatal(why -> history.crash(this, why));
    Plan base = history.plan.base();
    QueueBackend opened =
        base.shared()
            ? new ClusterBackend(history.cluster, history.faults)
            : new DiskBackend(history.disk, base.level(), history.faults);
    backend = opened;
    Services made = new Services(history, opened, process, host);
    services = made;
    made.start();
    for (int i = 0; i < base.senders(); i++) {
      Thread.ofVirtual().name("sender-" + i).start(() -> send(made.first));
    }
  }

  /** Looks for the results of calls, until it has found all. */
  void find(List<UUID> ids) {
    Services started = Objects.requireNonNull(services);
    process.start(
        "find",
        () -> {
          while (true) {
            try {
              started
                  .first
                  .results(ids, Long.class)
                  .forEach((id, result) ->
                      result.whenComplete((value, failure) ->
                          history.found.put(id, failure == null ? value : failure)));
              return;
            } catch (QueueRefused | QueueUnavailable e) { // results cannot be read yet
              Machine.park(100_000_000);
            }
          }
        });
  }

  /** What an operator does whose disk failed, and works again. */
  void restartIfItsDiskFailed() {
    if (backend instanceof DiskBackend opened && opened.hasFailed()) {
      history.crash(this, "its disk failed");
    }
  }

  String state() {
    Services started = services;
    Throwable failure = process.failure();
    return failure != null ? failure.toString() : started == null ? "starting" : started.toString();
  }

  boolean runs() {
    return services != null && !process.isDead() && !stopping;
  }

  boolean hasSent() {
    return sendersLeft == 0;
  }

  boolean hasFailed() {
    Services started = services;
    if (process.isDead() || stopping) {
      return false; // another one starts soon
    }
    return process.failure() != null || (started != null && started.haveFailed());
  }

  /** Ends as a process that is asked to. */
  void stops() {
    Services started = services;
    if (started == null || stopping || process.isDead()) {
      return;
    }
    stopping = true;
    world.trace.add(world, process.name(), "stops");
    process.start(
        "stop",
        () -> {
          started.close();
          world.trace.add(world, process.name(), "stopped");
          world.after(0, () -> history.crash(this, "it has stopped"));
        });
  }

  private void send(DefinedService<Work, ?> to) {
    try {
      Writer<Work> writer = to.createWriter();
      while (history.calls.size() < history.plan.base().statements()) {
        Machine.sleep(Duration.ofNanos(world.shortTime(2 * history.plan.meanPauseNanos())));
        send(writer);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } catch (IllegalStateException e) {
      if (!stopping) {
        throw e;
      }
    }
    sendersLeft--;
  }

  private void send(Writer<Work> writer) throws InterruptedException {
    CallKind kind = CallKind.values()[world.random.nextInt(CallKind.values().length)];
    SentCall call = new SentCall(history.calls.size() + 1, kind);
    history.calls.add(call);
    try {
      CompletableFuture<Long> result = kind.call(writer.calls(), call.number);
      call.id = writer.lastId();
      world.trace.add(world, process.name(), "sent %s", call);
      if (result instanceof PendingResult<Long> pending) {
        pending.whenComplete((value, failure) -> received(call, value, failure));
      }
      writer.await(Duration.ofNanos(1 + world.random.nextLong(3_000_000_000L)));
      call.acknowledged = true;
      world.trace.add(world, process.name(), "acknowledged %s", call);
    } catch (QueueRefused e) {
      call.refused = true;
      world.trace.add(world, process.name(), "refused %s: %s", call, e.reason());
      Machine.sleep(Duration.ofMillis(100));
    } catch (QueueFailed | TimeoutException e) {
      world.trace.add(world, process.name(), "in doubt %s: %s", call, e);
    }
  }

  private void received(SentCall call, @Nullable Long value, @Nullable Throwable failure) {
    world.trace.add(
        world, process.name(), "result of %s: %s", call, failure == null ? value : failure);
    if (failure == null) {
      call.result = value;
    }
  }
}
