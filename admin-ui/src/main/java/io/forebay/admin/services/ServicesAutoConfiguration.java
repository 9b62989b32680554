/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.services;

import io.forebay.admin.AdminAccess;
import io.forebay.admin.AdminConfiguration;
import io.forebay.operations.Audit;
import io.forebay.operations.Door;
import io.forebay.operations.Instance;
import io.forebay.operations.OperatorCommands;
import io.forebay.operations.Services;
import java.io.IOException;
import java.io.InputStream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpMethod;
import tools.jackson.databind.json.JsonMapper;

/** Services, their partitions and the door in front of them. */
@AdminConfiguration
class ServicesAutoConfiguration {

  @Bean
  ServicesController forebayServicesController(
      Services services, Instance instance, ObjectProvider<Audit> audit) {
    return new ServicesController(services, instance, audit.getIfAvailable(Audit::none));
  }

  @Bean
  PartitionsController forebayPartitionsController(Services services, ObjectProvider<Audit> audit) {
    return new PartitionsController(services, audit.getIfAvailable(Audit::none));
  }

  /** The commands of {@code openapi.json}. */
  @Bean
  OperatorCommands forebayOperatorCommands() throws IOException {
    try (InputStream file = ServicesController.class.getResourceAsStream("openapi.json")) {
      return new OperatorCommands(
          JsonMapper.shared().readTree(file).properties().stream()
              .map(it ->
                  new OperatorCommands.Command(
                      it.getKey(),
                      AdminAccess.roles(HttpMethod.POST, it.getKey()),
                      it.getValue().toString()))
              .toList());
    }
  }

  @Bean
  CallersController forebayCallersController(
      ObjectProvider<Door> door, ObjectProvider<Audit> audit) {
    return new CallersController(door.getIfAvailable(), audit.getIfAvailable(Audit::none));
  }
}
