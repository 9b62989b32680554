/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import io.forebay.jdbc.StatementCatalogue;
import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.jdbc.gateway.GatewayFailures;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.http.limit.Callers;
import io.forebay.jdbc.http.limit.CommandedLimits;
import io.forebay.jdbc.http.limit.DoorState;
import io.forebay.jdbc.lane.Lane;
import io.forebay.jdbc.statement.StatementTexts;
import io.forebay.operations.Door;
import io.forebay.operations.failures.FailureSource;
import io.forebay.operations.messages.StatementNames;
import io.forebay.system.SystemDatabaseAutoConfiguration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;

/** The operators' view of gateways: failed messages and the state of databases. */
@AutoConfiguration(
    after = {GatewayAutoConfiguration.class, SystemDatabaseAutoConfiguration.class},
    afterName = {
      "io.forebay.spring.OperationsAutoConfiguration",
      "io.forebay.jdbc.http.DoorAutoConfiguration"
    })
@ConditionalOnBean(JDBCService.class)
class GatewayOperationsAutoConfiguration {

  @Bean
  FailureSource forebayGatewayFailures(List<JDBCService> gateways) {
    return () -> gateways.stream().map(GatewayFailures::new).toList();
  }

  @Bean
  StatementNames forebayStatementNames(
      ObjectProvider<StatementCatalogue> catalogue, List<JDBCService> gateways) {
    Map<String, String> lanes = new HashMap<>();
    gateways.forEach(each -> each.lane().ifPresent(it -> lanes.put(each.name(), it.gateway())));
    return StatementTexts.names(catalogue.getIfAvailable(() -> StatementCatalogue.NONE), lanes);
  }

  /** Only where there is a door, which another configuration defines. */
  @Bean
  @ConditionalOnBean({Callers.class, LiveCatalogue.class})
  Door forebayDoorState(
      LiveCatalogue catalogue,
      Callers callers,
      CommandedLimits commanded,
      ObjectProvider<GatewaysProperties> gateways) {
    List<Door.Lane> lanes = new ArrayList<>();
    gateways.ifAvailable(all ->
        all.gateways()
            .forEach((name, gateway) -> {
              if (!gateway.lanes().isEmpty()) {
                lanes.add(new Door.Lane(name, name, gateway.weight(), List.of()));
                gateway
                    .lanes()
                    .forEach((lane, own) ->
                        lanes.add(
                            new Door.Lane(
                                name, Lane.service(name, lane), own.weight(), own.callers())));
              }
            }));
    return new DoorState(catalogue, callers, commanded, lanes);
  }
}
