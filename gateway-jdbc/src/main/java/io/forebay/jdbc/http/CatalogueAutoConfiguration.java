/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.jdbc.catalogue.CatalogueFiles;
import io.forebay.jdbc.catalogue.CatalogueInvalid;
import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.jdbc.catalogue.Gateways;
import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.StartRefused;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.support.ResourcePatternResolver;

/** The catalogue of statements, which the door and jobs use. */
@AutoConfiguration(afterName = "io.forebay.jdbc.spring.GatewayAutoConfiguration")
@ConditionalOnClass(
    name = {
      "tools.jackson.core.json.JsonFactory",
      "org.yaml.snakeyaml.Yaml",
      "com.zaxxer.hikari.HikariDataSource"
    })
@ConditionalOnBean(JDBCService.class)
@EnableConfigurationProperties(DoorProperties.class)
class CatalogueAutoConfiguration {

  private static final Logger log = LoggerFactory.getLogger(CatalogueAutoConfiguration.class);
  private static final Duration CHECK = Duration.ofMillis(500);

  /** The gateways use the catalogue, so it must not depend on them. */
  @Bean
  LiveCatalogue forebayCatalogue(
      DoorProperties properties, DataDirectory data, ResourcePatternResolver resources) {
    String fallback = data.path().resolve("catalogue.yaml").toUri().toString();
    return new LiveCatalogue(new CatalogueFiles(resources, properties.catalogue(), fallback));
  }

  @Bean
  Gateways forebayDoorGateways(
      List<JDBCService> services, LiveCatalogue catalogue, BeanFactory beans) {
    Gateways gateways =
        new Gateways(
            services.stream()
                .filter(service -> service.source().isEmpty())
                .map(service ->
                    new DoorGateway(
                        service, beans.getBean(service.name() + "Client", StatementClient.class)))
                .toList());
    try {
      catalogue.load(gateways.names(), gateways.lanes());
    } catch (RuntimeException e) {
      gateways.close();
      throw e instanceof CatalogueInvalid
          ? new StartRefused(
              "Door not opened: %s%n%nCorrect these lines, or configure other files with forebay.door.catalogue."
                  .formatted(e.getMessage()),
              e)
          : e;
    }
    return gateways;
  }

  @Bean
  BackgroundTask forebayCatalogueCheck(LiveCatalogue catalogue, Gateways gateways) {
    return new BackgroundTask(
        "forebay-catalogue",
        CHECK,
        new Outage(log, "Check of the catalogue", "its statements are sent unchecked"),
        () -> catalogue.check(gateways));
  }
}
