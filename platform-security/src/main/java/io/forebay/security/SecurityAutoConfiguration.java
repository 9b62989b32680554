/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.CredentialsFile;
import io.forebay.access.CredentialsOutput;
import io.forebay.access.Logins;
import io.forebay.access.StartText;
import io.forebay.access.Tokens;
import io.forebay.access.limits.BackOff;
import io.forebay.access.oidc.JwtCallers;
import io.forebay.operations.Audit;
import io.forebay.operations.DataDirectory;
import io.forebay.security.body.AnonymousBodies;
import jakarta.servlet.DispatcherType;
import java.time.InstantSource;
import java.util.EnumSet;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.StrictHttpFirewall;
import org.springframework.web.servlet.handler.MappedInterceptor;

/**
 * The filter chain of Forebay's own paths, and the endpoints for sessions, users, tokens and audit.
 * Requests to these paths that match no rule are denied.
 *
 * <p>All other paths are left to the application: to its own filter chains, to the one of Spring
 * Boot if {@code spring-boot-starter-security} is on the class path, or to nothing.
 */
@AutoConfiguration(
    after = AccessAutoConfiguration.class,
    afterName = {
      "io.forebay.system.SystemAutoConfiguration",
      // Its chain exists only if there is no other yet.
      "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
      "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration"
    })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(Tokens.class)
@Import({
  ActorArgument.class,
  AuditController.class,
  ExceptionProblems.class,
  OidcController.class,
  SessionController.class,
  SessionsController.class,
  TokenController.class,
  UserController.class
})
class SecurityAutoConfiguration {

  /** The order of Spring Boot's registration of this filter. */
  private static final int FILTER_ORDER = -100;

  @Bean
  Refusals forebayRefusals(Audit audit) {
    return new Refusals(audit);
  }

  @Bean
  BackOff forebayBackOff(SecurityProperties properties) {
    return new BackOff(properties.freeFailures(), InstantSource.system());
  }

  @Bean
  Problems forebaySecurityProblems(BackOff backOff) {
    return new Problems(backOff);
  }

  @Bean
  AnonymousBodies forebayAnonymousBodies() {
    return new AnonymousBodies();
  }

  @Bean
  CallerSecurity forebayCallerSecurity(
      Tokens tokens,
      ObjectProvider<JwtCallers> jwts,
      Logins logins,
      Refusals refusals,
      Problems problems) {
    return new CallerSecurity(tokens, jwts.getIfAvailable(), logins, refusals, problems);
  }

  /** Before the chains of the application, which may be for any request. */
  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE + 100)
  SecurityFilterChain forebaySecurityFilterChain(HttpSecurity http, CallerSecurity callers)
      throws Exception {
    return callers
        .identify(http.securityMatcher(OwnPaths.MATCHER))
        .authorizeHttpRequests(OwnPaths::rules)
        .build();
  }

  /**
   * Allows in headers what is no control character of ASCII: who reads a header refuses the rest
   * with a problem that says why. The default throws an exception in the midst of a request.
   */
  @Bean
  @ConditionalOnMissingBean
  HttpFirewall forebayHttpFirewall() {
    StrictHttpFirewall firewall = new StrictHttpFirewall();
    firewall.setAllowedHeaderValues(
        value -> value.chars().noneMatch(it -> (it < ' ' && it != '\t') || it == 0x7f));
    return firewall;
  }

  @Bean
  MappedInterceptor forebayChainCheck(Problems problems) {
    return new MappedInterceptor(null, new ChainCheck(problems));
  }

  @Bean
  UnmappedProblems forebayUnmappedProblems(Problems problems) {
    return new UnmappedProblems(problems);
  }

  /** Tests with {@code @TemporaryData} remove it by its name. */
  @Bean
  CredentialsOutput forebayCredentialsOutput(
      ServerProperties server,
      ApplicationEventPublisher events,
      ObjectProvider<StartText> text,
      DataDirectory data) {
    return new CredentialsOutput(
        server,
        events,
        text.getIfAvailable(),
        CredentialsOutput.isTerminal() ? null : new CredentialsFile(data.path()));
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.apache.tomcat.util.http.InvalidParameterException")
  @Import(QueryProblems.class)
  static class OfTomcat {}

  /** What Spring Boot configures if {@code spring-boot-starter-security} is on the class path. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(name = "springSecurityFilterChain")
  @EnableWebSecurity
  static class WithoutBootSecurity {

    @Bean
    @ConditionalOnMissingBean(name = "securityFilterChainRegistration")
    DelegatingFilterProxyRegistrationBean forebaySecurityFilter() {
      DelegatingFilterProxyRegistrationBean filter =
          new DelegatingFilterProxyRegistrationBean("springSecurityFilterChain");
      filter.setOrder(FILTER_ORDER);
      filter.setDispatcherTypes(EnumSet.allOf(DispatcherType.class));
      return filter;
    }
  }
}
