/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.verdict.Host;
import io.forebay.admin.verdict.JobTrouble;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

@AutoConfiguration(after = WatchAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
@ConditionalOnBean(Watcher.class)
class WatchMetricsAutoConfiguration {

  private static final String JOB = "job.name";

  @Bean
  MeterBinder forebayWatchMetrics(Watcher watcher, ObjectProvider<Host> host) {
    return new WatchMetrics(watcher, host.getIfAvailable(), InstantSource.system());
  }

  @Bean
  MeterBinder forebayJobMetrics(JobWatch watch) {
    return registry -> bind(watch, registry);
  }

  /** The alerts of jobs. The label is not {@code job}, which Prometheus itself sets. */
  static void bind(JobWatch watch, MeterRegistry registry) {
    MultiGauge failed = MultiGauge.builder("forebay.job.failed").register(registry);
    watch.afterEach(() ->
        failed.register(
            watch.jobs().stream()
                .map(job -> MultiGauge.Row.of(Tags.of(JOB, job), hasFailed(watch, job) ? 1 : 0))
                .toList(),
            true));
  }

  private static boolean hasFailed(JobWatch watch, String job) {
    return watch.troubles().stream().map(JobTrouble::job).anyMatch(job::equals);
  }
}
