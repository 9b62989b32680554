/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import io.forebay.operations.SelfCheck;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether each database responds, how fast, whether connections to it are encrypted, and
 * whether its commits are durable. All databases are queried concurrently, each on its own
 * connection. A database that does not respond in time is not queried again until that attempt has
 * ended. Reports contain neither URLs nor driver messages, because both may contain a password.
 */
public final class DatabaseSelfCheck implements SelfCheck {

  private static final Duration TIME = Duration.ofSeconds(1);
  private static final Duration SLOW = Duration.ofMillis(20);

  private final Supplier<Map<String, DatabaseProbe>> databases;
  private final Map<String, Attempt> attempts = new HashMap<>();

  private record Attempt(FutureTask<DatabaseProbe.Answer> task, long begunNanos) {

    static Attempt begin(DatabaseProbe probe) {
      FutureTask<DatabaseProbe.Answer> task = new FutureTask<>(probe::ask);
      Thread.ofVirtual().name("forebay-self-test").start(task);
      return new Attempt(task, System.nanoTime());
    }
  }

  /**
   * @param databases by the name of their user, in the order of the report; called at each run
   */
  public DatabaseSelfCheck(Supplier<Map<String, DatabaseProbe>> databases) {
    this.databases = databases;
  }

  @Override
  public synchronized List<Result> run() {
    Map<String, DatabaseProbe> asked;
    try {
      asked = databases.get();
    } catch (RuntimeException e) {
      return List.of(
          new Result("databases", State.UNKNOWN, "not available (%s)".formatted(kind(e))));
    }
    asked.forEach((name, probe) -> {
      Attempt before = attempts.get(name);
      if (before == null || before.task().isDone()) {
        attempts.put(name, Attempt.begin(probe));
      }
    });
    long deadline = System.nanoTime() + TIME.toNanos();
    List<Result> results = new ArrayList<>();
    asked.keySet().forEach(name -> add(results, name, deadline));
    return results;
  }

  private void add(List<Result> results, String name, long deadline) {
    Attempt attempt = Objects.requireNonNull(attempts.get(name));
    String failed;
    try {
      DatabaseProbe.Answer answer =
          attempt.task().get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
      results.add(reached("database of " + name, answer));
      answer
          .encryption()
          .ifPresent(it -> results.add(new Result("TLS to " + name, it.state(), it.text())));
      results.add(new Result("commits of " + name, answer.commits(), answer.commitsText()));
      return;
    } catch (TimeoutException _) {
      long seconds = Math.max(1, (System.nanoTime() - attempt.begunNanos()) / 1_000_000_000);
      failed = "no response for %d s".formatted(seconds);
    } catch (ExecutionException e) {
      failed = reason(e.getCause());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      failed = "the check was interrupted";
    }
    results.add(new Result("database of " + name, State.FAILED, failed));
    results.add(new Result("commits of " + name, State.UNKNOWN, "the database does not respond"));
  }

  private static Result reached(String check, DatabaseProbe.Answer answer) {
    String text =
        String.format(
            Locale.ROOT,
            "%s; a round trip takes %.1f ms",
            answer.product(),
            answer.roundTrip().toNanos() / 1e6);
    return answer.roundTrip().compareTo(SLOW) > 0
        ? new Result(check, State.WARN, text + ", and each batch needs several")
        : new Result(check, State.OK, text);
  }

  /** Describes a failure without the driver's message. */
  static String reason(@Nullable Throwable failure) {
    if (failure instanceof UnsafeDatabase unsafe) {
      return String.join("; ", unsafe.violations());
    }
    if (!(failure instanceof SQLException sql)) {
      return "the check failed (%s)".formatted(kind(failure));
    }
    String state = Objects.requireNonNullElse(sql.getSQLState(), "none");
    String what =
        switch (state.length() < 2 ? state : state.substring(0, 2)) {
          case "08" -> "cannot be reached: check that it is running at this address and port";
          case "28" -> "login refused: check user name, password and the server's access rules";
          case "3D" -> "the database does not exist";
          case "53" -> "the server has no connections or memory left";
          case "57" -> "the server is starting or stopping";
          default -> "unexpected error";
        };
    return "%s (SQLState %s)".formatted(what, state);
  }

  private static String kind(@Nullable Throwable failure) {
    return failure == null ? "unknown" : failure.getClass().getSimpleName();
  }
}
