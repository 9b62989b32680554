/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.springframework.http.HttpMethod.GET;

import io.forebay.jdbc.http.StatementsController;
import io.forebay.security.CallerSecurity;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import org.apache.catalina.connector.Connector;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpHeaders;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.StrictHttpFirewall;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.filter.ForwardedHeaderFilter;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/**
 * What protects the service beyond the paths of Forebay: every other request is denied, except
 * those to the actuator and the redirect to the admin page, and every response has the same headers
 * and the same form of errors.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(TransportProperties.class)
class ServiceSecurity {

  /** Before the mappings of annotated controllers. */
  private static final int MAPPING_ORDER = -1;

  /** Before those of Spring, of which the first has -105. */
  private static final int SHORTCUT_ORDER = -110;

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
                .requestMatchers(
                    GET, "/", "/actuator/health/liveness", "/actuator/health/readiness")
                .permitAll()
                .requestMatchers(GET, "/actuator/health", "/actuator/info", "/actuator/prometheus")
                .hasRole(viewer)
                .requestMatchers(GET, "/actuator/sbom", "/actuator/sbom/{id}")
                .hasRole(viewer)
                .anyRequest()
                .denyAll())
        .build();
  }

  /**
   * Allows in headers what is no control character of ASCII: who reads a header refuses the rest
   * with a problem that says why. The default throws an exception in the midst of a request.
   */
  @Bean
  HttpFirewall headersAreAnsweredByTheirReader() {
    StrictHttpFirewall firewall = new StrictHttpFirewall();
    firewall.setAllowedHeaderValues(
        value -> value.chars().noneMatch(it -> (it < ' ' && it != '\t') || it == 0x7f));
    return firewall;
  }

  @Bean
  StatementShortcut statementShortcut(
      CallerSecurity callers, ObjectProvider<StatementsController> door) {
    return new StatementShortcut(callers, door.getIfAvailable());
  }

  /** Behind the filters of forwarded headers and of metrics, before the filter chains. */
  @Bean
  DelegatingFilterProxyRegistrationBean statementShortcutFilter() {
    DelegatingFilterProxyRegistrationBean filter =
        new DelegatingFilterProxyRegistrationBean("statementShortcut");
    filter.addUrlPatterns("/api/v1/statements/*");
    filter.setDispatcherTypes(DispatcherType.REQUEST);
    filter.setOrder(SHORTCUT_ORDER);
    return filter;
  }

  /** Disables observations of filters, which would take a third of the time of a request. */
  @Bean
  SecurityObservationSettings noObservationsOfFilters() {
    return SecurityObservationSettings.noObservations();
  }

  @Bean
  WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> everyResponse(
      Transport transport, Environment environment) {
    return server -> {
      transport.check();
      if (!environment.containsProperty("server.tomcat.max-connections")) {
        server.addConnectorCustomizers(Connections::limit);
      }
      if (transport.isBehindTls()) {
        server.addConnectorCustomizers(ServiceSecurity::isEncryptedByAProxy);
      }
      server.addEngineValves(new UnreadBodies(), new ResponseHeaders());
      server.addContextCustomizers(
          context -> context.getParent().getPipeline().addValve(new ErrorReport()));
    };
  }

  /** Cookies are secure then, and responses have Strict-Transport-Security. */
  private static void isEncryptedByAProxy(Connector connector) {
    connector.setScheme("https");
    connector.setSecure(true);
  }

  /**
   * Replaces the filter of Spring Boot, which reads the headers again when it forwards to the error
   * page: a request with malformed headers got 400 without a document.
   */
  @Bean
  @ConditionalOnProperty(name = "server.forward-headers-strategy", havingValue = "framework")
  FilterRegistrationBean<ForwardedHeaderFilter> forwardedHeaders() {
    FilterRegistrationBean<ForwardedHeaderFilter> filter =
        new FilterRegistrationBean<>(new ForwardedHeaders());
    filter.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
    filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
    return filter;
  }

  @Bean
  ErrorPage errorPage() {
    return new ErrorPage();
  }

  @Bean
  SimpleUrlHandlerMapping ownPages(ErrorPage page, Environment environment) {
    String path = environment.getProperty("spring.web.error.path", "/error");
    return new SimpleUrlHandlerMapping(
        Map.of(path, page, "/", (HttpRequestHandler) ServiceSecurity::adminPage), MAPPING_ORDER);
  }

  /** Leads a browser that was given only host and port to the admin page. */
  private static void adminPage(HttpServletRequest request, HttpServletResponse response) {
    response.setStatus(HttpServletResponse.SC_FOUND);
    response.setHeader(HttpHeaders.LOCATION, request.getContextPath() + "/admin/");
  }
}
