/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.problem.HttpProblem;
import io.forebay.problem.ProblemType;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts once, on a thread of its own, the statements that wait in the in-queue of a gateway: those
 * that were accepted before the start of this process, or by other instances. Before it is done, no
 * statement of a caller whose waiting statements are limited is accepted, so none is counted twice.
 * Thread-safe.
 */
final class Recount {

  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Logger log = LoggerFactory.getLogger(Recount.class);

  private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();

  private Recount() {}

  /**
   * @param counts returns the count of a caller, by its name; null if it is not limited
   */
  static Recount begin(DoorGateway gateway, Function<String, @Nullable WaitingStatements> counts) {
    Recount recount = new Recount();
    Thread.ofPlatform()
        .daemon()
        .name("forebay-recount-" + gateway.name())
        .start(() -> recount.run(gateway, counts));
    return recount;
  }

  private void run(DoorGateway gateway, Function<String, @Nullable WaitingStatements> counts) {
    try {
      Map<WaitingStatements, Map<Integer, PositionCounts>> found = new HashMap<>();
      for (int i = 0; i < gateway.service().in().partitions(); i++) {
        int partition = i;
        gateway
            .service()
            .readWaiting(
                partition,
                (position, client, statements) -> {
                  WaitingStatements count = client == null ? null : counts.apply(client);
                  if (count != null) {
                    found
                        .computeIfAbsent(count, _ -> new HashMap<>())
                        .computeIfAbsent(partition, _ -> new PositionCounts())
                        .add(position, statements);
                  }
                });
      }
      found.forEach((count, partitions) ->
          partitions.forEach((partition, more) -> count.addAll(gateway, partition, more)));
      done.complete(null);
    } catch (Throwable e) {
      log.warn(
          "The statements that wait in {} could not be counted; requests of callers with max-waiting-statements are refused; the next one tries again",
          gateway.service().in().name(),
          e);
      done.completeExceptionally(e);
    }
  }

  boolean hasFailed() {
    return done.isCompletedExceptionally();
  }

  /**
   * @throws HttpProblem if it is not done in time or has failed
   */
  void await(Duration atMost) {
    if (done.isDone() && !hasFailed()) {
      return;
    }
    try {
      done.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw unavailable();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unavailable();
    }
  }

  private static HttpProblem unavailable() {
    return new HttpProblem(
            ProblemType.QUEUE_UNAVAILABLE,
            "The statements of this caller that wait since before the start are not counted yet; nothing was accepted; retry later")
        .with("reason", "unavailable")
        .retryAfter(RETRY);
  }
}
