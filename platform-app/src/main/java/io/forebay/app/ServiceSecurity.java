/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.springframework.http.HttpMethod.GET;

import io.forebay.security.CallerSecurity;
import jakarta.servlet.DispatcherType;
import java.util.Map;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/**
 * What protects the service beyond the paths of Forebay: every other request except those to the
 * actuator is denied, and every response has the same headers and the same form of errors.
 */
@Configuration(proxyBeanMethods = false)
class ServiceSecurity {

  /** Before the mappings of annotated controllers. */
  private static final int MAPPING_ORDER = -1;

  @Bean
  SecurityFilterChain otherPaths(HttpSecurity http, CallerSecurity callers) throws Exception {
    String viewer = "VIEWER";
    return callers
        .identify(http)
        .authorizeHttpRequests(paths ->
            paths
                // The server's own error answers; no client can request this dispatch.
                .dispatcherTypeMatchers(DispatcherType.ERROR)
                .permitAll()
                .requestMatchers(GET, "/actuator/health/liveness", "/actuator/health/readiness")
                .permitAll()
                .requestMatchers(GET, "/actuator/health", "/actuator/info", "/actuator/prometheus")
                .hasRole(viewer)
                .requestMatchers(GET, "/actuator/sbom", "/actuator/sbom/{id}")
                .hasRole(viewer)
                .anyRequest()
                .denyAll())
        .build();
  }

  /** Disables observations of filters, which would take a third of the time of a request. */
  @Bean
  SecurityObservationSettings noObservationsOfFilters() {
    return SecurityObservationSettings.noObservations();
  }

  @Bean
  WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> everyResponse() {
    return server -> {
      server.addEngineValves(new ResponseHeaders());
      server.addContextCustomizers(
          context -> context.getParent().getPipeline().addValve(new ErrorReport()));
    };
  }

  @Bean
  ErrorPage errorPage() {
    return new ErrorPage();
  }

  @Bean
  SimpleUrlHandlerMapping errorMapping(ErrorPage page, Environment environment) {
    String path = environment.getProperty("spring.web.error.path", "/error");
    return new SimpleUrlHandlerMapping(Map.of(path, page), MAPPING_ORDER);
  }
}
