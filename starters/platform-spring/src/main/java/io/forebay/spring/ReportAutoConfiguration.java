/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.background.BackgroundTask;
import io.forebay.operations.Services;
import io.forebay.report.Host;
import io.forebay.report.OpenFailures;
import io.forebay.report.ReportReader;
import io.forebay.report.Sampled;
import io.forebay.report.ServiceReports;
import io.forebay.report.ServiceWatch;
import io.forebay.report.ServiceWatches;
import java.time.InstantSource;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Samples all services from the start, and makes the reports that metrics, health and page show.
 */
@AutoConfiguration(after = OperationsAutoConfiguration.class)
@EnableConfigurationProperties(WatchProperties.class)
class ReportAutoConfiguration {

  private static final Logger log = LoggerFactory.getLogger(ReportAutoConfiguration.class);

  @Bean
  ServiceWatches forebayServiceWatches(Services services, WatchProperties properties) {
    properties.limits().keySet().stream()
        .filter(name -> services.find(name).isEmpty())
        .forEach(name ->
            log.warn(
                "forebay.watch.limits.{} takes no effect: this process has no service of that name",
                name));
    return new ServiceWatches(
        services.all().stream()
            .map(service ->
                new ServiceWatch(
                    service,
                    services.readings(service.name()),
                    properties.limit(service.name()),
                    InstantSource.system()))
            .toList());
  }

  @Bean
  ServiceReports forebayServiceReports(
      Services services,
      ServiceWatches watches,
      ObjectProvider<Host> host,
      ObjectProvider<OpenFailures> failures) {
    return new ServiceReports(
        services, watches.all(), host.getIfAvailable(), failures.getIfAvailable());
  }

  @Bean
  BackgroundTask forebaySamplingLoop(
      ServiceWatches watches,
      ObjectProvider<Sampled> others,
      ServiceReports reports,
      ObjectProvider<ReportReader> readers) {
    SamplingLoop loop =
        new SamplingLoop(
            Stream.concat(watches.all().stream(), others.orderedStream()).toList(),
            reports,
            readers.orderedStream().toList());
    return loop.task();
  }

  @Bean
  TaskLifecycle forebayTasks(ObjectProvider<BackgroundTask> tasks) {
    return new TaskLifecycle(tasks.orderedStream().toList());
  }
}
