/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.admin.AdminConfiguration;
import io.forebay.operations.DataDirectory;
import io.forebay.queue.QueueBackend;
import io.forebay.report.ServiceWatches;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;

/** The disk of the queues, for the admin page. */
@AdminConfiguration
@ConditionalOnBean(DataDirectory.class)
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
