/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.operations.Services;
import io.forebay.queue.QueueBackend;
import io.forebay.report.ServiceReports;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

@AutoConfiguration(after = ReportAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
class MetricsAutoConfiguration {

  /** After the services, which open the queues. */
  @Bean
  MeterBinder forebayServiceMetrics(
      Services services, ServiceReports reports, ObjectProvider<QueueBackend> queues) {
    return new ServiceMetrics(services, reports, queues.getIfUnique());
  }
}
