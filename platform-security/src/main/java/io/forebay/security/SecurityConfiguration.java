/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import static org.springframework.http.HttpMethod.DELETE;
import static org.springframework.http.HttpMethod.GET;
import static org.springframework.http.HttpMethod.POST;

import io.forebay.access.BackOff;
import io.forebay.access.Logins;
import io.forebay.access.Passwords;
import io.forebay.access.TokenFile;
import io.forebay.access.Tokens;
import io.forebay.access.UnshownCredentials;
import io.forebay.admin.AdminAccess;
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
    String admin = "ADMIN";
    paths
        // The server's own error answers; no client can request this dispatch.
        .dispatcherTypeMatchers(DispatcherType.ERROR)
        .permitAll()
        .requestMatchers(GET, "/actuator/health/liveness", "/actuator/health/readiness")
        .permitAll()
        .requestMatchers(GET, "/actuator/health", "/actuator/info", "/actuator/prometheus")
        .hasRole(viewer)
        // The grants of the token decide which statements and services, and whose results.
        .requestMatchers(GET, "/api/v1/statements", "/api/v1/openapi.json", "/api/v1/results/*")
        .authenticated()
        .requestMatchers(POST, "/api/v1/statements", "/api/v1/statements/*", "/api/v1/chunks/*")
        .authenticated()
        .requestMatchers(POST, "/api/v1/catalogue/reload", "/api/v1/tokens")
        .hasRole(admin)
        .requestMatchers(GET, "/api/v1/audit", "/api/v1/tokens", "/admin/api/v1/users")
        .hasRole(admin)
        .requestMatchers(POST, "/admin/api/v1/users")
        .hasRole(admin)
        .requestMatchers(DELETE, "/api/v1/tokens/*", "/admin/api/v1/users/*")
        .hasRole(admin)
        .requestMatchers(GET, "/admin/api/v1/audit")
        .hasRole("OPERATOR")
        .requestMatchers(POST, "/admin/api/v1/login")
        .permitAll()
        .requestMatchers(GET, "/admin/api/v1/me")
        .authenticated()
        .requestMatchers(POST, "/admin/api/v1/logout", "/admin/api/v1/password")
        .authenticated();
    AdminAccess.RULES.forEach(
        rule -> paths.requestMatchers(rule.method(), rule.patterns()).hasRole(rule.role()));
    paths
        .requestMatchers("/admin/api/**")
        .denyAll()
        // The page's files contain nothing secret, only what is in the jar.
        .requestMatchers(GET, "/admin", "/admin/**")
        .permitAll()
        .anyRequest()
        .denyAll();
  }
}
