/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.Gateways;
import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.jdbc.http.body.ByteBudget;
import io.forebay.operations.OperatorCommands;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/** The HTTP door, if a {@link StatementGrants} bean decides who may send what. */
@AutoConfiguration(after = CatalogueAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean({StatementGrants.class, Gateways.class})
class DoorAutoConfiguration {

  static final String STATEMENTS = "/api/v1/statements";
  static final String STREAMS = "/api/v1/streams";
  static final String RESULTS = "/api/v1/results";
  private static final String RELOAD = "/api/v1/catalogue/reload";
  private static final String OPENAPI = "/api/v1/openapi.json";

  /** Before the mappings of annotated controllers. */
  private static final int ORDER = -1;

  @Bean
  WaitingRequests forebayWaiting(DoorProperties properties) {
    return new WaitingRequests(properties.maxWait(), properties.maxWaiting());
  }

  @Bean
  SimpleUrlHandlerMapping forebayDoor(
      LiveCatalogue catalogue,
      StatementGrants grants,
      Gateways gateways,
      WaitingRequests waiting,
      DoorProperties properties,
      ObjectProvider<OperatorCommands> commands) {
    ByteBudget sent = new ByteBudget(properties.maxResultsBytes());
    StatementSender sender = new StatementSender(properties.acceptTimeout(), waiting, sent);
    ByteBudget bodies = new ByteBudget(properties.maxBodiesBytes());
    SubscriberPlaces places = new SubscriberPlaces(properties.maxSubscribers());
    StreamResource streams = new StreamResource(gateways, properties, bodies, waiting, places);
    StatementsResource statements =
        new StatementsResource(catalogue, grants, gateways, sender, streams, properties, bodies);
    ResultsResource results = new ResultsResource(gateways, waiting, sent);
    SubscriptionResource subscriptions = new SubscriptionResource(gateways, waiting, sent, places);
    CatalogueResource resource =
        new CatalogueResource(
            catalogue,
            grants,
            gateways,
            commands.getIfAvailable(() -> new OperatorCommands(List.of())));
    Map<String, HttpRequestHandler> resources =
        Map.of(
            RESULTS,
            new HttpResource(Map.of("GET", subscriptions::get), true),
            STATEMENTS,
            new HttpResource(Map.of("GET", statements::list, "POST", statements::sendSeveral)),
            STATEMENTS + "/{name}",
            new HttpResource(Map.of("POST", statements::send)),
            STREAMS + "/{name}",
            new HttpResource(Map.of("GET", streams::get), true),
            RESULTS + "/{id}",
            new HttpResource(Map.of("GET", results::get)),
            RELOAD,
            new HttpResource(Map.of("POST", resource::reload)),
            OPENAPI,
            new HttpResource(Map.of("GET", resource::openApi)));
    return new SimpleUrlHandlerMapping(resources, ORDER);
  }
}
