/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.admin.AdminWebConfiguration;
import io.forebay.admin.watch.Clears;
import io.forebay.operations.Services;
import io.forebay.queue.QueueBackend;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The shared disk and memory, for the admin page. */
@AutoConfiguration(
    beforeName = "io.forebay.admin.watch.WatchAutoConfiguration",
    afterName = {
      "io.forebay.spring.OperationsAutoConfiguration",
      "io.forebay.spring.PlatformAutoConfiguration",
      "io.forebay.jdbc.spring.GatewayOperationsAutoConfiguration",
      "io.forebay.system.SystemAutoConfiguration"
    })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(Services.class)
@Import(AdminWebConfiguration.class)
class HostAutoConfiguration {

  private static final Path ROOT = Path.of("/");

  @Bean(initMethod = "start", destroyMethod = "close")
  SharedHost forebayHost(
      ObjectProvider<QueueBackend> backend, Services services, ObjectProvider<Clears> clears) {
    Optional<VolumeWatch> volume =
        backend.stream()
            .filter(it -> it.storage().isPresent())
            .map(it -> new VolumeWatch(() -> it.storage().orElseThrow()))
            .findFirst();
    return new SharedHost(
        volume,
        new KernelMemory(ROOT),
        services,
        () -> clears.getIfAvailable(() -> Map::of).clears());
  }

  @Bean
  StorageController forebayStorageController(SharedHost host) {
    return new StorageController(host, InstantSource.system());
  }
}
