/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.forebay.service.progress.Unavailable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class BackgroundTaskTest {

  private static final String NAME = "forebay-test";
  private static final Duration MOMENT = Duration.ofMillis(1);
  private static final Duration LONG = Duration.ofHours(1);

  private final Logger logger = (Logger) LoggerFactory.getLogger(BackgroundTaskTest.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final AtomicInteger turns = new AtomicInteger();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  @BeforeEach
  void capture() {
    lines.start();
    logger.setAdditive(false);
    logger.addAppender(lines);
  }

  @AfterEach
  void release() {
    logger.detachAppender(lines);
    logger.setAdditive(true);
  }

  private BackgroundTask every(Duration pause, BackgroundTask.Turn turn) {
    return new BackgroundTask(
        NAME, pause, new Outage(logger, "Reading tokens", "the old ones are used"), turn);
  }

  private void fail() throws Exception {
    turns.incrementAndGet();
    switch (failure.get()) {
      case null -> {}
      case Error e -> throw e;
      case Exception e -> throw e;
      case Throwable e -> throw new AssertionError(e);
    }
  }

  private void awaitTurns(int more) {
    int reached = turns.get() + more;
    await().until(() -> turns.get() >= reached);
  }

  private List<String> logged() {
    return lines.list.stream().map(it -> it.getLevel() + " " + it.getFormattedMessage()).toList();
  }

  @Test
  void aStartWaitsForATurnThatSucceedsButNotLongerThanItsTime() {
    BackgroundTask.Turn third =
        () -> {
          if (turns.incrementAndGet() < 3) {
            throw new IOException("away");
          }
        };
    try (BackgroundTask task = every(MOMENT, third)) {
      task.startAndAwaitSuccess(LONG);
      assertThat(turns).hasValueGreaterThanOrEqualTo(3);
    }
    failure.set(new IOException("away"));
    try (BackgroundTask task = every(LONG, this::fail)) {
      task.startAndAwaitSuccess(MOMENT);
      assertThat(task.isRunning()).isTrue();
    }
  }

  @Test
  void repeatsTheTaskOnADaemonThreadOfThatName() {
    AtomicReference<Thread> thread = new AtomicReference<>();
    try (BackgroundTask task =
        every(
            MOMENT,
            () -> {
              thread.set(Thread.currentThread());
              turns.incrementAndGet();
            })) {
      task.start();
      awaitTurns(3);
      assertThat(thread.get().getName()).isEqualTo("forebay-test");
      assertThat(thread.get().isDaemon()).isTrue();
    }
    assertThat(thread.get().isAlive()).isFalse();
  }

  @Test
  void logsFailuresOnceAndThatTheyAreOver() {
    failure.set(new Unavailable("the database is away", null));
    try (BackgroundTask task = every(MOMENT, this::fail)) {
      task.start();
      awaitTurns(3);
      failure.set(null);
      awaitTurns(3);
    }
    assertThat(logged())
        .containsExactly(
            "WARN Reading tokens failed: the database is away; the old ones are used",
            "INFO Reading tokens works again");
  }

  @Test
  void continuesAfterAnErrorAndLogsItBesideAnotherFailure() {
    failure.set(new Unavailable("the database is away", null));
    try (BackgroundTask task = every(MOMENT, this::fail)) {
      task.start();
      awaitTurns(2);
      failure.set(new StackOverflowError());
      awaitTurns(3);
      assertThat(logged())
          .containsExactly(
              "WARN Reading tokens failed: the database is away; the old ones are used",
              "ERROR Reading tokens failed; the old ones are used");
    }
  }

  @Test
  void continuesAfterATurnThatLeavesAnInterrupt() {
    try (BackgroundTask task =
        every(
            MOMENT,
            () -> {
              Thread.currentThread().interrupt();
              turns.incrementAndGet();
            })) {
      task.start();
      awaitTurns(3);
    }
  }

  @Test
  void wakeEndsThePause() {
    try (BackgroundTask task = every(LONG, turns::incrementAndGet)) {
      task.start(LONG);
      task.wake();
      await().until(() -> turns.get() == 1);
      task.wake();
      await().until(() -> turns.get() == 2);
    }
  }

  @Test
  void closeEndsThePauseAndWaitsForARunningTurnWithoutInterruptingIt() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    BackgroundTask task =
        every(
            LONG,
            () -> {
              entered.countDown();
              leave.await();
              turns.incrementAndGet();
            });
    task.start();
    entered.await();
    task.close(MOMENT);
    assertThat(turns).hasValue(0);
    task.start();
    await().until(BackgroundTaskTest::secondThreadWaitsForTheFirst);
    Thread closing = Thread.ofPlatform().start(task::close);
    await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
    leave.countDown();
    closing.join();
    assertThat(turns.get()).isPositive();
    assertThat(logged()).isEmpty();
    assertThat(task.isRunning()).isFalse();
  }

  /** Both wait: the first one in its turn, for the test, and the second one for the first. */
  private static boolean secondThreadWaitsForTheFirst() {
    return Thread.getAllStackTraces().keySet().stream()
            .filter(it -> it.getName().equals(NAME) && it.getState() == Thread.State.WAITING)
            .count()
        == 2;
  }

  @Test
  void startsAgainAfterItWasClosed() {
    BackgroundTask task = every(LONG, turns::incrementAndGet);
    task.start();
    await().until(() -> turns.get() == 1);
    task.close();
    try (task) {
      task.start();
      await().until(() -> turns.get() == 2);
    }
  }

  @Test
  void runPerformsATurnOnTheCallingThread() {
    BackgroundTask task = every(LONG, this::fail);
    failure.set(new IllegalStateException("broken"));
    task.run();
    assertThat(turns).hasValue(1);
    assertThat(logged()).containsExactly("ERROR Reading tokens failed; the old ones are used");
  }
}
