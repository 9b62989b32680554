/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.FileRetention;
import io.forebay.capacity.disk.Runway;
import io.forebay.report.Host;
import io.forebay.report.ServiceReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The problems of a disk of 110 GB, of which 100 GB may be used, second by second. */
class JudgedDisk {

  static final long GB = 1_000_000_000;
  static final String NONE = "not measured";
  static final Figure<Runway> UNKNOWN = Figure.unknown("needs 15 minutes of history");

  final Judge judge = new Judge();
  Instant now = Instant.parse("2026-03-02T10:00:00Z");

  /** The problems after some seconds with a disk of 110 GB, of which 100 GB may be used. */
  List<Problem> judge(int seconds, long usedGigabytes, Figure<Runway> runway) {
    return judge(seconds, List.of(), new Disk(Optional.of(view(usedGigabytes, runway, null))));
  }

  List<Problem> judge(int seconds, List<ServiceReport> services, Host host) {
    List<Problem> problems = List.of();
    for (int i = 0; i < seconds; i++) {
      now = now.plusSeconds(1);
      problems = judge.judge(now, services, host, List.of(), List.of());
    }
    return problems;
  }

  static Host.VolumeView view(
      long usedGigabytes, Figure<Runway> runway, FileRetention.@Nullable Next enough) {
    return new Host.VolumeView(
        "/data",
        Figure.measured(new Volume(110 * GB, usedGigabytes * GB, 10 * GB)),
        runway,
        Optional.of(new FileRetention.Next(new Until.In(Duration.ofMinutes(42)), 256_000_000)),
        Optional.ofNullable(enough),
        Figure.measured(0.97));
  }

  static Figures.Disk figures(Problem problem) {
    return (Figures.Disk) problem.figures();
  }

  static Host.VolumeView view(Problem problem) {
    return figures(problem).view();
  }

  static Figure<Runway> full(Duration in) {
    Until middle = new Until.In(in);
    Until low = new Until.In(in.dividedBy(2));
    return Figure.estimated(new Runway(middle, low, null), "rough");
  }

  record Disk(Optional<VolumeView> volume) implements Host {

    @Override
    public Figure<Runway> runway() {
      return Figure.unknown(NONE);
    }

    @Override
    public Figure<Until> fullWith(double extraBytesPerSecond) {
      return Figure.unknown(NONE);
    }
  }
}
