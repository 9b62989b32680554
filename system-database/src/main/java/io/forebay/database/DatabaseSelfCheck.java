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
  private static final String UNREACHED =
      "Check that the server runs at this address and port, and that no firewall is between.";

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
    Failure failed;
    try {
      DatabaseProbe.Answer answer =
          attempt.task().get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
      results.add(reached("database of " + name, answer));
      answer.encryption().ifPresent(it -> results.add(it.named("TLS to " + name)));
      results.add(answer.commits().named("commits of " + name));
      return;
    } catch (TimeoutException _) {
      long seconds = Math.max(1, (System.nanoTime() - attempt.begunNanos()) / 1_000_000_000);
      failed = new Failure("no response for %d s".formatted(seconds), UNREACHED);
    } catch (ExecutionException e) {
      failed = Failure.of(e.getCause());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      failed = new Failure("the check was interrupted", null);
    }
    results.add(
        new Result(
            "database of " + name, State.FAILED, failed.text(), Harm.OUTAGE, failed.change()));
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
        ? new Result(
            check,
            State.WARN,
            text + ", and each batch needs several",
            Harm.DELAY,
            "Run this process near the database, or find what slows the network down.")
        : new Result(check, State.OK, text);
  }

  /**
   * A failure without the driver's message.
   *
   * @param change null if the text says it
   */
  private record Failure(String text, @Nullable String change) {

    static Failure of(@Nullable Throwable failure) {
      if (failure instanceof UnsafeDatabase unsafe) {
        return new Failure(String.join("; ", unsafe.violations()), null);
      }
      if (!(failure instanceof SQLException sql)) {
        return new Failure("the check failed (%s)".formatted(kind(failure)), null);
      }
      String state = Objects.requireNonNullElse(sql.getSQLState(), "none");
      Failure what =
          switch (state.length() < 2 ? state : state.substring(0, 2)) {
            case "08" -> new Failure("cannot be reached", UNREACHED);
            case "28" ->
                new Failure(
                    "login refused",
                    "Check user name and password of the login, and the server's access rules"
                        + " (pg_hba.conf).");
            case "3D" ->
                new Failure(
                    "the database does not exist", "Create it, or correct its name in the URL.");
            case "53" ->
                new Failure(
                    "the server has no connections or memory left",
                    "Raise max_connections of the server, or end other connections.");
            case "57" -> new Failure("the server is starting or stopping", null);
            default -> new Failure("unexpected error", null);
          };
      return new Failure("%s (SQLState %s)".formatted(what.text(), state), what.change());
    }
  }

  private static String kind(@Nullable Throwable failure) {
    return failure == null ? "unknown" : failure.getClass().getSimpleName();
  }
}
