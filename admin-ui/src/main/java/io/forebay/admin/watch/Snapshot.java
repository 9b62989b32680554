/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Runway;
import io.forebay.capacity.Until;
import io.forebay.operations.BlockingMessage;
import io.forebay.queue.QueueStats;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that the page shows at a glance, at one second. What is missing is null; what is not known is
 * a figure that says why.
 *
 * @param seq counts the snapshots of the process
 * @param demo null unless this is a demonstration
 */
record Snapshot(
    long seq,
    Instant at,
    String instance,
    String backend,
    List<String> profiles,
    String version,
    Instant since,
    Verdict verdict,
    Tiles tiles,
    List<Service> services,
    List<InstanceSummary> instances,
    @Nullable DemoState demo) {

  record Verdict(Severity severity, String text, List<Problem> problems) {}

  record Problem(
      String id,
      Severity severity,
      String kind,
      @Nullable String service,
      @Nullable String volume,
      String text,
      Instant since,
      io.forebay.admin.watch.Problem.@Nullable Silence silenced) {}

  /**
   * What services share.
   *
   * @param disk that is full first; null where queues are not on disk
   * @param jobs null: there are none yet
   */
  record DemoState(boolean bursting) {}

  record Tiles(@Nullable Disk disk, Memory memory, Database database, @Nullable Object jobs) {}

  record Disk(
      String volume,
      Figure<Long> usedBytes,
      Figure<Long> sizeBytes,
      Figure<Long> stopBytes,
      Figure<Runway> runway) {}

  record Memory(Figure<Long> dirtyBytes, Figure<Long> slowBytes) {}

  record Database(Figure<Double> busy, String text) {}

  /**
   * @param limit the longest wait that is promised
   * @param loss until the oldest message that waits is deleted by age
   * @param can messages per second that the database can do
   * @param failed since the start
   * @param waitsFor at most one for each partition
   * @param damaged what can be set aside
   * @param spark seconds behind of 15 minutes, in 60 steps
   */
  record Service(
      String name,
      String state,
      String reason,
      Instant since,
      Severity severity,
      boolean accepts,
      Duration limit,
      Figure<Duration> behind,
      Figure<Long> unperformed,
      Figure<Double> growth,
      Figure<Until> clear,
      Figure<Until> late,
      Until trouble,
      Figure<Until> loss,
      Figure<Double> accepted,
      Figure<Double> performed,
      Figure<Double> can,
      Figure<Double> busy,
      Burst burst,
      Figure<Double> growthShare,
      Figure<Duration> p99,
      long failed,
      long dead,
      long failedRecently,
      List<@Nullable Double> spark,
      @Nullable Paused paused,
      @Nullable Error lastError,
      int partitions,
      List<WaitsFor> waitsFor,
      List<Damage> damaged) {}

  /** A message that a partition waits for, and that an operator may fail. */
  record WaitsFor(int partition, BlockingMessage message) {}

  /**
   * @param queue in or out
   */
  record Damage(int partition, String queue, QueueStats.Damage damage) {}

  record Burst(Figure<Double> rate, Figure<Until> onTime, Figure<Until> accepts) {}

  record Paused(String by, Instant at, String reason) {}

  record Error(Instant at, String text) {}
}
