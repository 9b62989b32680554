/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.AdminWebConfiguration;
import io.forebay.admin.alerts.AlertLog;
import io.forebay.admin.history.Runs;
import io.forebay.admin.history.Sampled;
import io.forebay.admin.page.Demo;
import io.forebay.capacity.series.RingLengths;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.Instance;
import io.forebay.operations.Instances;
import io.forebay.operations.Services;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.report.Host;
import io.forebay.report.OpenFailures;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.ConfigurableEnvironment;

/** Samples all services from the start and provides the figures of the page. */
@AutoConfiguration(
    afterName = {
      "io.forebay.spring.OperationsAutoConfiguration",
      "io.forebay.spring.PlatformAutoConfiguration",
      "io.forebay.jdbc.spring.GatewayOperationsAutoConfiguration",
      "io.forebay.system.SystemAutoConfiguration"
    })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean({Services.class, DataDirectory.class})
@Import(AdminWebConfiguration.class)
@EnableConfigurationProperties(WatchProperties.class)
class WatchAutoConfiguration {

  private static final Logger log = LoggerFactory.getLogger(WatchAutoConfiguration.class);
  private static final InstantSource CLOCK = InstantSource.system();

  /** All services, each with its history. */
  record Watched(List<ServiceWatch> all) {}

  @Bean
  Watched forebayWatchedServices(Services services, WatchProperties properties) {
    properties.limits().keySet().stream()
        .filter(name -> services.find(name).isEmpty())
        .forEach(name ->
            log.warn(
                "forebay.admin.limits.{} takes no effect: this process has no service of that name",
                name));
    return new Watched(
        services.all().stream()
            .map(service ->
                new ServiceWatch(
                    service,
                    services.readings(service.name()),
                    properties.limit(service.name()),
                    RingLengths.DEFAULT,
                    CLOCK))
            .toList());
  }

  /**
   * Services whose time is unknown are left out: forecasts then assume that they hold nothing back.
   */
  @Bean
  Clears forebayClears(Watched watched) {
    return () ->
        watched.all().stream()
            .flatMap(watch ->
                watch.past().lag(watch.limit()).performed().known().stream()
                    .map(clear -> Map.entry(watch.name(), clear)))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

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
      Watched watched,
      Services services,
      Instance instance,
      ConfigurableEnvironment environment,
      ObjectProvider<Host> host,
      AlertLog alerts,
      Neighbours neighbours,
      Frames frames,
      ObjectProvider<Demo> demo,
      JobWatch jobs,
      Runs runs,
      ObjectProvider<OpenFailures> failures) {
    Host shared = host.getIfAvailable();
    return new Watcher(
        new Watcher.About(instance, List.of(environment.getActiveProfiles()), version()),
        watched.all(),
        new ServiceReports(services, watched.all(), shared),
        shared,
        alerts,
        neighbours,
        frames,
        demo.getIfAvailable(),
        jobs,
        runs::restarts,
        environment::getProperty,
        failures.getIfAvailable());
  }

  /** See {@code docs/metrics.md}. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterBinder.class)
  static class Metrics {

    @Bean
    MeterBinder forebayWatchMetrics(Watcher watcher, ObjectProvider<Host> host, JobWatch jobs) {
      return new WatchMetrics(watcher, host.getIfAvailable(), jobs, CLOCK);
    }
  }

  private static String version() {
    return Objects.requireNonNullElse(
        WatchAutoConfiguration.class.getPackage().getImplementationVersion(), "unknown");
  }

  @Bean
  SamplingLoop forebaySamplingLoop(
      Watched watched,
      ObjectProvider<Sampled> others,
      Watcher watcher,
      DataDirectory data,
      Frames frames) {
    List<Sampled> all = new ArrayList<>(watched.all());
    others.orderedStream().forEach(all::add);
    return new SamplingLoop(
        List.copyOf(all), watcher::second, new KnownRates(data.path(), watched.all()), frames);
  }

  @Bean
  StreamController forebayStreamController(Frames frames, WatchProperties properties) {
    return new StreamController(frames, properties.maxStreamsPerUser());
  }

  @Bean
  ServiceController forebayServiceController(Watcher watcher, ObjectProvider<Host> host) {
    return new ServiceController(watcher, new BurstPlan(host.getIfAvailable()), CLOCK);
  }

  @Bean
  AlertsController forebayAlertsController(AlertLog alerts) {
    return new AlertsController(alerts, CLOCK);
  }
}
