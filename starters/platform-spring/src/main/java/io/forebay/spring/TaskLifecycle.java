/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.background.BackgroundTask;
import java.time.Duration;
import java.util.List;
import org.springframework.context.SmartLifecycle;

/** Runs the tasks that are beans and need all services: they start last and stop first. */
final class TaskLifecycle implements SmartLifecycle {

  /** How long a stop waits for the running turn of a task. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final List<BackgroundTask> tasks;

  TaskLifecycle(List<BackgroundTask> tasks) {
    this.tasks = tasks;
  }

  @Override
  public void start() {
    tasks.forEach(BackgroundTask::start);
  }

  @Override
  public void stop() {
    tasks.forEach(task -> task.close(PATIENCE));
  }

  @Override
  public boolean isRunning() {
    return tasks.stream().anyMatch(BackgroundTask::isRunning);
  }

  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
