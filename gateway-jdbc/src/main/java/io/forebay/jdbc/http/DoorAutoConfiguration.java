/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.Gateways;
import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.jdbc.http.body.ByteBudget;
import io.forebay.jdbc.http.limit.Caller;
import io.forebay.jdbc.http.limit.Callers;
import io.forebay.jdbc.http.limit.CommandedLimits;
import io.forebay.jdbc.http.limit.LookUps;
import io.forebay.operations.Audit;
import io.forebay.operations.OperatorCommands;
import io.forebay.operations.callers.RateLimits;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.binder.MeterBinder;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
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
  Callers forebayCallers(DoorProperties properties) {
    return properties.limitedCallers();
  }

  @Bean
  CommandedLimits forebayCommandedLimits(ObjectProvider<RateLimits> stored, Callers callers) {
    return new CommandedLimits(stored::getObject, callers, InstantSource.system());
  }

  /** See {@code docs/metrics.md}. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterBinder.class)
  static class Metrics {

    @Bean
    MeterBinder forebayDoorMetrics(Callers callers) {
      return registry ->
          callers
              .refusals()
              .forEach((limit, count) ->
                  FunctionCounter.builder("forebay.door.limited", count, LongAdder::sum)
                      .baseUnit("requests")
                      .tag("limit", limit)
                      .register(registry));
    }
  }

  @Bean
  SimpleUrlHandlerMapping forebayDoor(
      LiveCatalogue catalogue,
      StatementGrants grants,
      Gateways gateways,
      WaitingRequests waiting,
      Callers callers,
      DoorProperties properties,
      ObjectProvider<OperatorCommands> commands,
      ObjectProvider<Audit> audit) {
    ByteBudget sent = new ByteBudget(properties.maxResultsBytes());
    StatementSender sender =
        new StatementSender(properties.acceptTimeout(), waiting, callers, sent);
    ByteBudget bodies = new ByteBudget(properties.maxBodiesBytes());
    LookUps lookUps = new LookUps(properties.maxLookUps(), callers);
    StreamResource streams = new StreamResource(gateways, properties, bodies, waiting, callers);
    StatementsResource statements =
        new StatementsResource(catalogue, grants, gateways, sender, streams, properties, bodies);
    ResultsResource results = new ResultsResource(gateways, waiting, sent, lookUps);
    ResultPagesResource pages = new ResultPagesResource(gateways, waiting, sent, lookUps);
    CatalogueResource resource =
        new CatalogueResource(
            catalogue,
            grants,
            gateways,
            commands.getIfAvailable(() -> new OperatorCommands(List.of())),
            audit.getIfAvailable(Audit::none));
    Map<String, HttpRequestHandler> resources =
        Map.of(
            RESULTS,
            new HttpResource(Map.of("GET", limited(callers, pages::get))),
            STATEMENTS,
            new HttpResource(
                Map.of("GET", statements::list, "POST", limited(callers, statements::sendSeveral))),
            StatementPost.PATTERN,
            new HttpResource(Map.of("POST", limited(callers, statements::send))),
            STREAMS + "/{name}",
            new HttpResource(Map.of("GET", limited(callers, streams::get))),
            RESULTS + "/{id}",
            new HttpResource(Map.of("GET", limited(callers, results::get))),
            RELOAD,
            new HttpResource(Map.of("POST", resource::reload)),
            OPENAPI,
            new HttpResource(Map.of("GET", resource::openApi)));
    return new SimpleUrlHandlerMapping(resources, ORDER);
  }

  /** For the filter of a process in which no other filter has to see these requests. */
  @Bean
  StatementPost forebayStatementPost(
      @Qualifier("forebayDoor") SimpleUrlHandlerMapping door, StatementGrants grants) {
    Object resource = Objects.requireNonNull(door.getUrlMap().get(StatementPost.PATTERN));
    return new StatementPost((HttpResource) resource, grants);
  }

  /** Counts the requests of each caller. A stream keeps its place until it ends. */
  private static HttpResource.Method limited(Callers callers, HttpResource.Method method) {
    return (request, response) -> {
      boolean isStream = request.getMethod().equals("POST") && StreamResource.isStream(request);
      if (!isStream && !callers.areLimited()) {
        method.handle(request, response);
        return;
      }
      Caller caller = callers.of(DoorCaller.of(request).name());
      try (Caller.Place place = caller.enter()) {
        method.handle(request, isStream ? response : new Leaving(response, place));
      }
    };
  }

  /** Releases the place of a request before its answer is sent: the next request finds it free. */
  private static final class Leaving extends HttpServletResponseWrapper {
    private final Caller.Place place;

    Leaving(HttpServletResponse response, Caller.Place place) {
      super(response);
      this.place = place;
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
      place.close();
      return super.getOutputStream();
    }
  }
}
