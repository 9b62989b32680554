/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import io.forebay.operations.SelfTest;
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
 * Whether each database answers, how fast, and whether it keeps what it commits. All are asked at
 * the same time, each on a connection of its own; who does not answer in time is not asked again
 * until that attempt has ended. Neither URLs nor texts of drivers are told: both may name a
 * password.
 */
public final class DatabaseSelfTest implements SelfTest {

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
   * @param databases by whose they are, in the order they are told of; asked at each run
   */
  public DatabaseSelfTest(Supplier<Map<String, DatabaseProbe>> databases) {
    this.databases = databases;
  }

  @Override
  public synchronized List<Result> run() {
    Map<String, DatabaseProbe> asked;
    try {
      asked = databases.get();
    } catch (RuntimeException e) {
      return List.of(
          new Result("databases", State.UNKNOWN, "they are not there (%s)".formatted(kind(e))));
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
      results.add(new Result("commits of " + name, answer.commits(), answer.commitsText()));
      return;
    } catch (TimeoutException _) {
      long seconds = Math.max(1, (System.nanoTime() - attempt.begunNanos()) / 1_000_000_000);
      failed = "it has not answered for %d s".formatted(seconds);
    } catch (ExecutionException e) {
      failed = reason(e.getCause());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      failed = "the check was interrupted";
    }
    results.add(new Result("database of " + name, State.FAILED, failed));
    results.add(new Result("commits of " + name, State.UNKNOWN, "the database does not answer"));
  }

  private static Result reached(String check, DatabaseProbe.Answer answer) {
    String text =
        String.format(
            Locale.ROOT,
            "%s; a round trip takes %.1f ms",
            answer.product(),
            answer.roundTrip().toNanos() / 1e6);
    return answer.roundTrip().compareTo(SLOW) > 0
        ? new Result(check, State.WARN, text + ", and a batch makes several")
        : new Result(check, State.OK, text);
  }

  /** Without the text of the driver. */
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
          case "08" -> "it cannot be reached: does it run, at this address and port?";
          case "28" -> "it refuses the user: are name, password and its rules of access right?";
          case "3D" -> "there is no such database";
          case "53" -> "it has no connection or memory left";
          case "57" -> "it is starting or stopping";
          default -> "it does not answer as it should";
        };
    return "%s (SQLState %s)".formatted(what, state);
  }

  private static String kind(@Nullable Throwable failure) {
    return failure == null ? "unknown" : failure.getClass().getSimpleName();
  }
}
