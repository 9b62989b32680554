/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.AdminConfiguration;
import io.forebay.admin.alerts.AlertLog;
import io.forebay.admin.history.Runs;
import io.forebay.admin.page.Demo;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.Door;
import io.forebay.operations.Instance;
import io.forebay.operations.Instances;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.report.Host;
import io.forebay.report.ReportReader;
import io.forebay.report.ServiceReports;
import io.forebay.report.ServiceWatches;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;

/** Provides the figures of the page, from the reports of each second. */
@AdminConfiguration
@ConditionalOnBean(DataDirectory.class)
class WatchAutoConfiguration {

  private static final InstantSource CLOCK = InstantSource.system();

  @Bean
  Frames forebaySnapshots() {
    return new Frames();
  }

  @Bean
  Neighbours forebayNeighbours(ObjectProvider<Instances> instances, Instance instance, Runs runs) {
    Instances shared = instances.getIfAvailable();
    return new Neighbours(
        shared != null && shared.isShared() ? shared : null, instance.name(), runs::predecessors);
  }

  @Bean(initMethod = "start")
  JobWatch forebayJobWatch(ObjectProvider<JobOperations> jobs) {
    return new JobWatch(jobs.getIfAvailable(), CLOCK);
  }

  @Bean
  Runs forebayRuns(DataDirectory data, Instance instance) {
    return Runs.of(data.path(), instance.name(), CLOCK);
  }

  @Bean
  Watcher forebayWatcher(
      ServiceReports reports,
      Instance instance,
      ConfigurableEnvironment environment,
      ObjectProvider<Host> host,
      AlertLog alerts,
      Neighbours neighbours,
      Frames frames,
      ObjectProvider<Door> door,
      ObjectProvider<Demo> demo,
      JobWatch jobs,
      Runs runs) {
    Host shared = host.getIfAvailable();
    return new Watcher(
        new Watcher.About(instance, List.of(environment.getActiveProfiles()), version()),
        reports,
        shared,
        alerts,
        neighbours,
        frames,
        door.getIfAvailable(),
        demo.getIfAvailable(),
        jobs,
        runs::restarts);
  }

  /** See {@code docs/admin.md}. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterBinder.class)
  static class Metrics {

    @Bean
    MeterBinder forebayWatchMetrics(ObjectProvider<Host> host, JobWatch jobs) {
      return new WatchMetrics(host.getIfAvailable(), jobs);
    }
  }

  private static String version() {
    return Objects.requireNonNullElse(
        WatchAutoConfiguration.class.getPackage().getImplementationVersion(), "unknown");
  }

  @Bean
  ReportReader forebaySnapshotMaker(Watcher watcher) {
    return watcher::second;
  }

  @Bean
  KnownRates forebayKnownRates(DataDirectory data, ServiceWatches watches) {
    return new KnownRates(data.path(), watches.all());
  }

  @Bean
  StreamController forebayStreamController(Frames frames) {
    return new StreamController(frames);
  }

  @Bean
  ServiceController forebayServiceController(ServiceReports reports) {
    return new ServiceController(reports, CLOCK);
  }

  @Bean
  AlertsController forebayAlertsController(AlertLog alerts) {
    return new AlertsController(alerts, CLOCK);
  }
}
