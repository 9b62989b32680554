/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.verdict.ServiceLook;
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

  static Snapshot.Service of(ServiceLook look, Severity severity, List<@Nullable Double> spark) {
    return new Snapshot.Service(
        look.name(),
        look.state(),
        look.reason(),
        look.view().state().since(),
        severity,
        look.view().accepts(),
        look.limit(),
        look.lag().behind(),
        look.lag().unperformed(),
        look.lag().growth(),
        look.lag().clear(),
        look.lag().late(),
        look.trouble(),
        look.loss(),
        look.accepted(),
        look.performed(),
        look.database().perSecond(),
        look.busy(),
        burst(look.burst()),
        look.growthShare(),
        look.p99(),
        look.view().counts().failed(),
        look.view().counts().deadLetters(),
        look.recently().failed(),
        spark,
        look.desired()
            .filter(DesiredState::paused)
            .map(it -> new Snapshot.Paused(it.by(), it.at(), it.reason()))
            .orElse(null),
        error(look.view().lastError()),
        look.view().partitions().size(),
        waitsFor(look.view()),
        damaged(look.view()));
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
