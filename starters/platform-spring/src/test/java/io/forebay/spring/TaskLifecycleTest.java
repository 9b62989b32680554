/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TaskLifecycleTest {

  @Test
  void stoppingDoesNotWaitForADatabaseThatHangs() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    BackgroundTask task =
        new BackgroundTask(
            "hanging",
            Duration.ofSeconds(1),
            new Outage(LoggerFactory.getLogger(getClass()), "The test", "it is retried"),
            () -> {
              asked.countDown();
              answered.await();
            });
    TaskLifecycle lifecycle = new TaskLifecycle(List.of(task));
    lifecycle.start();
    assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(lifecycle.isRunning()).isTrue();
    try {
      assertTimeoutPreemptively(Duration.ofSeconds(20), () -> lifecycle.stop());
    } finally {
      answered.countDown();
    }
    assertThat(lifecycle.isRunning()).isFalse();
  }
}
