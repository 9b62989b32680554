/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.admin.AdminWebConfiguration;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.Services;
import io.forebay.queue.QueueBackend;
import io.forebay.report.ServiceWatches;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The disk of the queues, for the admin page. */
@AutoConfiguration(
    beforeName = "io.forebay.admin.watch.WatchAutoConfiguration",
    afterName = {
      "io.forebay.spring.OperationsAutoConfiguration",
      "io.forebay.spring.PlatformAutoConfiguration",
      "io.forebay.spring.ReportAutoConfiguration",
      "io.forebay.jdbc.spring.GatewayOperationsAutoConfiguration",
      "io.forebay.system.SystemAutoConfiguration"
    })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean({Services.class, DataDirectory.class})
@Import(AdminWebConfiguration.class)
class HostAutoConfiguration {

  /** Null if queues are not on disk. */
  @Bean
  @Nullable VolumeWatch forebayVolumeWatch(
      ObjectProvider<QueueBackend> backend, DataDirectory data, ServiceWatches watches) {
    return backend.stream()
        .filter(it -> it.storage().isPresent())
        .map(it ->
            new VolumeWatch(
                () -> it.storage().orElseThrow(), data.path().resolve("database"), watches::clears))
        .findFirst()
        .orElse(null);
  }

  @Bean
  StorageController forebayStorageController(ObjectProvider<VolumeWatch> watch) {
    return new StorageController(watch.getIfAvailable(), InstantSource.system());
  }
}
