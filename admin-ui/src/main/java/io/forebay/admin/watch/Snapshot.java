/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.verdict.Verdict;
import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.Runway;
import io.forebay.operations.BlockingMessage;
import io.forebay.queue.QueueStats;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the home page shows, at one second. A missing part is null; an unknown figure
 * contains the reason.
 *
 * @param seq the number of the snapshot in this process
 * @param demo null unless this process runs the demo
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

  /**
   * Resources that services share.
   *
   * @param disk the disk that fills first; null if queues are not on disk
   */
  record Tiles(@Nullable Disk disk, Memory memory, Database database) {}

  record DemoState(boolean bursting) {}

  record Disk(
      String volume,
      Figure<Long> usedBytes,
      Figure<Long> sizeBytes,
      Figure<Long> stopBytes,
      Figure<Runway> runway) {}

  record Memory(Figure<Long> dirtyBytes, Figure<Long> slowBytes) {}

  record Database(Figure<Double> busy, String text) {}

  /**
   * @param limit the longest wait allowed
   * @param loss the time until retention deletes the oldest waiting message
   * @param can messages per second that the database can perform
   * @param failed failures since the start
   * @param waitsFor the blocking message of each partition that has one
   * @param damaged the damage that can be set aside
   * @param spark seconds behind over 15 minutes, in 60 steps
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
