/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.admin.history.Series;
import io.forebay.capacity.Figure;
import io.forebay.capacity.series.Measure;
import io.forebay.capacity.series.RingLengths;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ServiceWatchTest {

  private static SimulatedServices services() {
    return new SimulatedServices(
        new RingLengths(Duration.ofMinutes(15), Duration.ofHours(1), Duration.ofHours(2)),
        "orders");
  }

  private static double read(ServiceWatch watch, Measure measure, SimulatedServices services) {
    return watch
        .past()
        .read(measure, SimulatedServices.START, services.now, Duration.ofSeconds(1))
        .mean();
  }

  private static long count(ServiceWatch watch, SimulatedServices services) {
    return watch
        .station(ServiceWatch.PERFORMING)
        .percentiles(SimulatedServices.START, services.now.plusSeconds(10))
        .count();
  }

  @Test
  void aMomentIsReadFromTheShortestStepsThatAreKept() {
    SimulatedServices services = services();
    SimulatedServices.Simulated orders = services.all.getFirst();
    services.sample(1_800);
    orders.accepts = 2_000;
    services.sample(60); // 60,000 wait at the end
    ServiceWatch watch = services.watches.getFirst();
    assertThat(at(watch, Measure.ACCEPTED, services.now)).isEqualTo(Figure.measured(2_000.0));
    assertThat(at(watch, Measure.UNPERFORMED, services.now)).isEqualTo(Figure.measured(60_000.0));
    assertThat(at(watch, Measure.UNPERFORMED, services.now.minusSeconds(30)))
        .isEqualTo(Figure.measured(30_000.0));
    assertThat(at(watch, Measure.ACCEPTED, SimulatedServices.START.plusSeconds(300)))
        .isEqualTo(Figure.estimated(100.0, "kept in steps of 10 s"));
    services.sample(3_600);
    assertThat(at(watch, Measure.ACCEPTED, SimulatedServices.START.plusSeconds(330)))
        .isEqualTo(Figure.estimated(100.0, "kept in steps of 1 m"));
    assertThat(at(watch, Measure.ACCEPTED, SimulatedServices.START.minusSeconds(300)))
        .isEqualTo(Figure.unknown("nothing was recorded at that time"));
    assertThat(at(watch, Measure.ACCEPTED, services.now.plusSeconds(11)))
        .isEqualTo(Figure.unknown("nothing was recorded at that time"));
  }

  private static Figure<Double> at(ServiceWatch watch, Measure measure, Instant moment) {
    return Series.at(watch.past()::read, measure, moment);
  }

  @Test
  void changesHaveTheSamplesAndEachStation() throws IOException {
    SimulatedServices services = services();
    ServiceWatch watch = services.watches.getFirst();
    services.sample(30);
    Histogram nanos = new Histogram(1_000_000_000, 3);
    nanos.recordValueWithCount(1_000_000, 10);
    watch.station(ServiceWatch.PERFORMING).add(services.now, nanos);

    ServiceWatch after = services().watches.getFirst();
    after.apply(watch.changes());
    assertThat(watch.changes()).as("nothing has changed since").isEmpty();
    for (Measure measure :
        List.of(Measure.ACCEPTED, Measure.PERFORMED, Measure.BEHIND, Measure.BUSY)) {
      assertThat(read(after, measure, services))
          .as("%s", measure)
          .isEqualTo(read(watch, measure, services));
    }
    assertThat(read(after, Measure.ACCEPTED, services)).isEqualTo(100);
    assertThat(count(after, services)).isEqualTo(10);
  }
}
