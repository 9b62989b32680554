/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.verdict.ServiceReport;
import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.series.Points;
import io.forebay.operations.DesiredState;
import io.forebay.operations.PartitionView;
import io.forebay.operations.ServiceView;
import io.forebay.service.ServiceError;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Creates the document of a service for the snapshot. */
final class ServiceDocuments {

  private ServiceDocuments() {}

  static Snapshot.Service of(
      ServiceReport report, Severity severity, List<@Nullable Double> spark) {
    return new Snapshot.Service(
        report.name(),
        report.state(),
        report.reason(),
        report.view().state().since(),
        severity,
        report.view().accepts(),
        report.limit(),
        report.lag().behind(),
        report.lag().unperformed(),
        report.lag().growth(),
        report.lag().clear(),
        report.lag().late(),
        report.trouble(),
        report.loss(),
        report.accepted(),
        report.performed(),
        report.database().perSecond(),
        report.busy(),
        burst(report.burst()),
        report.growthShare(),
        report.p99(),
        report.view().counts().failed(),
        report.view().counts().deadLetters(),
        report.recently().failed(),
        spark,
        report
            .desired()
            .filter(DesiredState::paused)
            .map(it -> new Snapshot.Paused(it.by(), it.at(), it.reason()))
            .orElse(null),
        error(report.view().lastError()),
        report.view().partitions().size(),
        waitsFor(report.view()),
        damaged(report.view()));
  }

  private static List<Snapshot.WaitsFor> waitsFor(ServiceView view) {
    List<Snapshot.WaitsFor> all = new ArrayList<>();
    for (PartitionView partition : view.partitions()) {
      if (partition.waitsFor() != null) {
        all.add(new Snapshot.WaitsFor(partition.partition(), partition.waitsFor()));
      }
    }
    return all;
  }

  private static List<Snapshot.Damage> damaged(ServiceView view) {
    List<Snapshot.Damage> all = new ArrayList<>();
    for (PartitionView partition : view.partitions()) {
      if (partition.in().damage() != null) {
        all.add(new Snapshot.Damage(partition.partition(), "in", partition.in().damage()));
      }
      if (partition.out().damage() != null) {
        all.add(new Snapshot.Damage(partition.partition(), "out", partition.out().damage()));
      }
    }
    return all;
  }

  private static Snapshot.@Nullable Error error(@Nullable ServiceError error) {
    return error == null ? null : new Snapshot.Error(error.at(), error.message());
  }

  private static Snapshot.Burst burst(Figure<BurstHeadroom> burst) {
    Figure<Until> full = burst.then(BurstHeadroom::full);
    return new Snapshot.Burst(
        burst.map(BurstHeadroom::perSecond),
        burst.then(BurstHeadroom::late),
        burst.then(BurstHeadroom::slow).with(full, Until::sooner).or(full));
  }

  /** The values, with null for a gap. */
  static List<@Nullable Double> values(Points points) {
    List<@Nullable Double> values = new ArrayList<@Nullable Double>(points.size());
    for (int i = 0; i < points.size(); i++) {
      values.add(points.value(i).isPresent() ? points.value(i).getAsDouble() : null);
    }
    return values;
  }
}
