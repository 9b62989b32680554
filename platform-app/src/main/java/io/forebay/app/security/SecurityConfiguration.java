/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import static org.springframework.http.HttpMethod.DELETE;
import static org.springframework.http.HttpMethod.GET;
import static org.springframework.http.HttpMethod.POST;

import io.forebay.app.access.BackOff;
import io.forebay.app.access.Logins;
import io.forebay.app.access.Passwords;
import io.forebay.app.access.TokenFile;
import io.forebay.app.access.Tokens;
import io.forebay.app.access.UnshownCredentials;
import io.forebay.operations.Audit;
import io.forebay.operations.DataDirectory;
import io.forebay.system.SessionStore;
import io.forebay.system.TokenStore;
import io.forebay.system.UserStore;
import jakarta.servlet.DispatcherType;
import java.time.InstantSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.annotation.web.configurers.AuthorizeHttpRequestsConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.security.web.header.writers.StaticHeadersWriter;
import org.springframework.web.servlet.handler.MappedInterceptor;
import tools.jackson.databind.json.JsonMapper;

/**
 * The single filter chain that every request passes: bearer tokens, and sessions for the admin page
 * only. Requests that match no rule are denied.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(SecurityProperties.class)
class SecurityConfiguration {

  @Bean
  Tokens tokens(TokenStore store, DataDirectory data, JsonMapper json) {
    return new Tokens(store, new TokenFile(data.path(), json));
  }

  @Bean
  Logins logins(UserStore users, SessionStore sessions, SecurityProperties properties) {
    return new Logins(users, sessions, properties.sessionIdle(), InstantSource.system());
  }

  @Bean
  Passwords passwords() {
    return new Passwords();
  }

  @Bean
  BackOff loginBackOff(SecurityProperties properties) {
    return new BackOff(properties.freeFailures(), InstantSource.system());
  }

  @Bean
  SmallBody smallBodies(JsonMapper json) {
    return new SmallBody(json);
  }

  @Bean
  AccessRefresh accessRefresh(
      Tokens tokens,
      Logins logins,
      Passwords passwords,
      DataDirectory data,
      ApplicationEventPublisher events,
      SecurityProperties properties) {
    UnshownCredentials unshown = new UnshownCredentials(data.path());
    return new AccessRefresh(
        tokens, logins, passwords, unshown, events, properties, InstantSource.system());
  }

  @Bean
  Refusals refusals(Audit audit) {
    return new Refusals(audit);
  }

  @Bean
  Problems problems(SecurityProperties properties, JsonMapper json) {
    return new Problems(new BackOff(properties.freeFailures(), InstantSource.system()), json);
  }

  /** Disables observations of filters, which would take a third of the time of a request. */
  @Bean
  SecurityObservationSettings noObservationsOfFilters() {
    return SecurityObservationSettings.noObservations();
  }

  @Bean
  MappedInterceptor reloadAudit(Audit audit, Problems problems) {
    return new MappedInterceptor(
        new String[] {"/api/v1/catalogue/reload"}, new ReloadAudit(audit, problems));
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
  SecurityFilterChain chain(
      HttpSecurity http, Tokens tokens, Logins logins, Refusals refusals, Problems problems)
      throws Exception {
    SessionFilter sessions = new SessionFilter(logins, problems);
    return http.sessionManagement(
            session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        // A browser does not send a bearer token by itself; SessionFilter protects its cookie.
        .csrf(AbstractHttpConfigurer::disable)
        .requestCache(AbstractHttpConfigurer::disable)
        .logout(AbstractHttpConfigurer::disable)
        .addFilterBefore(new BearerFilter(tokens, refusals), AnonymousAuthenticationFilter.class)
        .addFilterBefore(sessions, AnonymousAuthenticationFilter.class)
        .exceptionHandling(
            handling -> handling.authenticationEntryPoint(problems).accessDeniedHandler(problems))
        .headers(headers -> {
          headers.defaultsDisabled();
          ResponseHeaders.ALL.forEach(
              (name, value) -> headers.addHeaderWriter(new StaticHeadersWriter(name, value)));
        })
        .authorizeHttpRequests(SecurityConfiguration::rules)
        .build();
  }

  private static void rules(
      AuthorizeHttpRequestsConfigurer<HttpSecurity>.AuthorizationManagerRequestMatcherRegistry
          paths) {
    String viewer = "VIEWER";
    String operator = "OPERATOR";
    String admin = "ADMIN";
    paths
        // The server's own error answers; no client can request this dispatch.
        .dispatcherTypeMatchers(DispatcherType.ERROR)
        .permitAll()
        .requestMatchers(GET, "/actuator/health/liveness", "/actuator/health/readiness")
        .permitAll()
        .requestMatchers(GET, "/actuator/health", "/actuator/info", "/actuator/prometheus")
        .hasRole(viewer)
        .requestMatchers(GET, "/api/v1/status", "/api/v1/services/*")
        .hasRole(viewer)
        .requestMatchers(GET, "/api/v1/failed", "/api/v1/failed/*")
        .hasRole(viewer)
        .requestMatchers(GET, "/api/v1/dead-letters", "/api/v1/dead-letters/*")
        .hasRole(viewer)
        .requestMatchers(
            POST,
            "/api/v1/services/*/pause",
            "/api/v1/services/*/resume",
            "/api/v1/services/*/partitions/*/fail-message")
        .hasRole(operator)
        .requestMatchers(POST, "/api/v1/failed/*/replay", "/api/v1/dead-letters/*/replay")
        .hasRole(operator)
        .requestMatchers(POST, "/admin/api/v1/demo/burst")
        .hasRole(operator)
        .requestMatchers(
            POST,
            "/api/v1/services/*/drain",
            "/api/v1/services/*/partitions/*/set-aside",
            "/api/v1/catalogue/reload")
        .hasRole(admin)
        .requestMatchers(GET, "/api/v1/audit", "/api/v1/tokens")
        .hasRole(admin)
        .requestMatchers(POST, "/api/v1/tokens")
        .hasRole(admin)
        .requestMatchers(DELETE, "/api/v1/tokens/*")
        .hasRole(admin)
        .requestMatchers(GET, "/admin/api/v1/snapshot", "/admin/api/v1/stream")
        .hasRole(viewer)
        .requestMatchers(
            GET,
            "/admin/api/v1/services/*",
            "/admin/api/v1/services/*/series",
            "/admin/api/v1/services/*/latency",
            "/admin/api/v1/services/*/burst",
            "/admin/api/v1/services/*/effect")
        .hasRole(viewer)
        .requestMatchers(GET, "/admin/api/v1/storage", "/admin/api/v1/storage/*")
        .hasRole(viewer)
        .requestMatchers(GET, "/admin/api/v1/setup")
        .hasRole(viewer)
        .requestMatchers(GET, "/admin/api/v1/alerts")
        .hasRole(viewer)
        .requestMatchers(POST, "/admin/api/v1/alerts/*/silence")
        .hasRole(operator)
        .requestMatchers(
            GET,
            "/api/v1/jobs",
            "/api/v1/jobs/*",
            "/api/v1/jobs/*/executions",
            "/api/v1/jobs/executions/*")
        .hasRole(viewer)
        .requestMatchers(
            POST,
            "/api/v1/jobs/*/executions",
            "/api/v1/jobs/executions/*/stop",
            "/api/v1/jobs/executions/*/restart",
            "/api/v1/jobs/executions/*/recover")
        .hasRole(operator)
        .requestMatchers(
            GET,
            "/admin/api/v1/jobs",
            "/admin/api/v1/jobs/*",
            "/admin/api/v1/jobs/*/executions",
            "/admin/api/v1/jobs/executions/*")
        .hasRole(viewer)
        .requestMatchers(
            POST,
            "/admin/api/v1/jobs/*/executions",
            "/admin/api/v1/jobs/executions/*/stop",
            "/admin/api/v1/jobs/executions/*/restart",
            "/admin/api/v1/jobs/executions/*/recover")
        .hasRole(operator)
        // The grants of the token decide which statements, and whose results.
        .requestMatchers(GET, "/api/v1/statements", "/api/v1/openapi.json", "/api/v1/results/*")
        .authenticated()
        .requestMatchers(POST, "/api/v1/statements", "/api/v1/statements/*")
        .authenticated()
        // The grants of the token decide which services.
        .requestMatchers(POST, "/api/v1/chunks/*")
        .authenticated()
        .requestMatchers(POST, "/admin/api/v1/login")
        .permitAll()
        .requestMatchers(GET, "/admin/api/v1/me")
        .authenticated()
        .requestMatchers(POST, "/admin/api/v1/logout", "/admin/api/v1/password")
        .authenticated()
        .requestMatchers(GET, "/admin/api/v1/users")
        .hasRole(admin)
        .requestMatchers(POST, "/admin/api/v1/users")
        .hasRole(admin)
        .requestMatchers(DELETE, "/admin/api/v1/users/*")
        .hasRole(admin)
        .requestMatchers(GET, "/admin/api/v1/failures", "/admin/api/v1/failures/list")
        .hasRole(viewer)
        .requestMatchers(GET, "/admin/api/v1/failures/plans/*")
        .hasRole(viewer)
        .requestMatchers(POST, "/admin/api/v1/failures/plans", "/admin/api/v1/failures/plans/*/*")
        .hasRole(operator)
        .requestMatchers(GET, "/admin/api/v1/audit")
        .hasRole(operator)
        .requestMatchers(
            POST,
            "/admin/api/v1/services/*/pause",
            "/admin/api/v1/services/*/resume",
            "/admin/api/v1/services/*/partitions/*/fail-message")
        .hasRole(operator)
        .requestMatchers(
            POST,
            "/admin/api/v1/services/*/drain",
            "/admin/api/v1/services/*/partitions/*/set-aside")
        .hasRole(admin)
        .requestMatchers("/admin/api/**")
        .denyAll()
        // The page's files contain nothing secret, only what is in the jar.
        .requestMatchers(GET, "/admin", "/admin/**")
        .permitAll()
        .anyRequest()
        .denyAll();
  }
}
