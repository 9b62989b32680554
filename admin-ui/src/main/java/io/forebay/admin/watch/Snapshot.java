/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.admin.history.UncleanStop;
import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.admin.verdict.Verdict;
import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.operations.DesiredState;
import io.forebay.operations.Door;
import io.forebay.queue.QueueStats;
import io.forebay.report.Host;
import io.forebay.report.OpenFailures;
import io.forebay.report.ServiceReport;
import io.forebay.service.ServiceError;
import io.forebay.service.errors.BlockingMessage;
import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the home page shows, at one second. A missing part is null; an unknown figure
 * contains the reason.
 *
 * @param seq the number of the snapshot in this process
 * @param uncleanStop null unless this instance was started after one within an hour
 * @param databasesAway the databases that do not respond
 * @param recordedSince when the first sample was taken that is still known; null if there is none
 * @param pipelines the services that form chains, which are also among the services
 * @param door null if this instance has none
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
    @Nullable UncleanStop uncleanStop,
    List<DatabaseAway> databasesAway,
    Verdict verdict,
    @Nullable Instant recordedSince,
    Tiles tiles,
    Flow flow,
    List<Service> services,
    List<Pipeline> pipelines,
    List<InstanceSummary> instances,
    Door.@Nullable Activity door,
    @Nullable DemoState demo) {

  /**
   * Resources that services share.
   *
   * @param disk null if queues are not on disk
   * @param jobs null if there are no batch jobs in this process
   */
  record Tiles(Host.@Nullable VolumeView disk, @Nullable Jobs jobs) {}

  /**
   * The batch jobs of this process.
   *
   * @param failed open failures, and executions whose process is dead
   */
  record Jobs(int failed) {}

  record DemoState(boolean bursting) {}

  /**
   * @param severity the severity of its worst problem
   * @param since since when it is in its state
   * @param open its open failures; null if they were not counted yet
   */
  record Service(
      @JsonUnwrapped ServiceReport report,
      Severity severity,
      Instant since,
      OpenFailures.@Nullable Open open) {

    @JsonProperty
    boolean accepts() {
      return report.view().accepts();
    }

    @JsonProperty
    Burst burst() {
      return Burst.of(report.burst());
    }

    /** Failures since the start. */
    @JsonProperty
    long failed() {
      return report.view().counts().failed();
    }

    @JsonProperty
    long dead() {
      return report.view().counts().deadLetters();
    }

    /** Calls since the start that the component declined, as a normal outcome. */
    @JsonProperty
    long declined() {
      return report.view().counts().declined();
    }

    @JsonProperty
    long failedRecently() {
      return report.failures().quarter().failed();
    }

    /** The share of statements that fail; only while many do. */
    @JsonProperty
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @Nullable Double failingShare() {
      OptionalDouble share = report.failures().shareNow();
      return share.isPresent() ? share.getAsDouble() : null;
    }

    @JsonProperty
    @JsonIgnoreProperties({"service", "paused"})
    @Nullable DesiredState paused() {
      return report.desired().filter(DesiredState::paused).orElse(null);
    }

    @JsonProperty
    @Nullable ServiceError lastError() {
      return report.view().lastError();
    }

    @JsonProperty
    int partitions() {
      return report.view().partitions().size();
    }

    /** The blocking message of each partition that has one. */
    @JsonProperty
    List<WaitsFor> waitsFor() {
      return report.view().partitions().stream()
          .filter(it -> it.waitsFor() != null)
          .map(it -> new WaitsFor(it.partition(), it.waitsFor()))
          .toList();
    }

    /** The damage that can be set aside. */
    @JsonProperty
    List<Damage> damaged() {
      return report.view().partitions().stream()
          .flatMap(it ->
              Stream.of(
                  new Damage(it.partition(), "in", it.in().damage()),
                  new Damage(it.partition(), "out", it.out().damage())))
          .filter(it -> it.damage() != null)
          .toList();
    }
  }

  /** A message that a partition waits for, and that an operator may fail. */
  record WaitsFor(int partition, @Nullable BlockingMessage message) {}

  /**
   * @param queue in or out
   */
  record Damage(int partition, String queue, QueueStats.@Nullable Damage damage) {}

  record Burst(Figure<Double> rate, Figure<Until> onTime, Figure<Until> accepts) {

    static Burst of(Figure<BurstHeadroom> burst) {
      return new Burst(
          burst.map(BurstHeadroom::perSecond),
          burst.then(BurstHeadroom::late),
          burst.then(BurstHeadroom::full));
    }
  }
}
