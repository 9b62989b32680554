/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.operations.Services;
import io.forebay.queue.QueueBackend;
import io.forebay.report.ServiceReports;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.config.MeterFilter;
import java.io.IOException;
import java.util.Properties;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;

@AutoConfiguration(after = ReportAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
class MetricsAutoConfiguration {

  /** Gives the metrics of Forebay the meanings that {@code docs/admin.md} has. */
  @Bean
  MeterFilter forebayMeanings() throws IOException {
    Properties meanings =
        PropertiesLoaderUtils.loadProperties(
            new ClassPathResource("metrics.properties", MetricsAutoConfiguration.class));
    return new MeterFilter() {
      @Override
      public Meter.Id map(Meter.Id id) {
        String meaning = meanings.getProperty(id.getName());
        return meaning == null
            ? id
            : new Meter.Id(
                id.getName(), Tags.of(id.getTags()), id.getBaseUnit(), meaning, id.getType());
      }
    };
  }

  /** After the services, which open the queues. */
  @Bean
  MeterBinder forebayServiceMetrics(
      Services services, ServiceReports reports, ObjectProvider<QueueBackend> queues) {
    return new ServiceMetrics(services, reports, queues.getIfUnique());
  }
}
