/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.LoginDelay;
import io.forebay.access.Tokens;
import io.forebay.access.Users;
import io.forebay.access.oidc.OidcCallers;
import io.forebay.admin.AdminAccess;
import io.forebay.operations.Audit;
import jakarta.servlet.DispatcherType;
import java.time.InstantSource;
import java.util.EnumSet;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.servlet.handler.MappedInterceptor;

/**
 * The filter chains of Forebay's own paths, and the endpoints for logins, users, tokens and audit.
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
  AuditController.class,
  PageLogin.class,
  SessionController.class,
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
  @ConditionalOnMissingBean
  LoginDelay forebayLoginDelay() {
    return new LoginDelay(InstantSource.system());
  }

  @Bean
  LoginCookie forebayLoginCookie(Users users, SecurityProperties properties) {
    return new LoginCookie(users, properties.sessionLifetime());
  }

  @Bean
  CallerSecurity forebayCallerSecurity(
      Tokens tokens, ObjectProvider<OidcCallers> callers, Refusals refusals) {
    return new CallerSecurity(tokens, callers.getIfAvailable(), refusals);
  }

  /**
   * The endpoints of the page: before the chains of the application, which may be for any request.
   */
  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE + 100)
  SecurityFilterChain forebayPageFilterChain(
      HttpSecurity http, CallerSecurity security, PageLogin login) {
    return login
        .configure(security.withBearer(http.securityMatcher(OwnPaths.OF_PAGE), true))
        .authorizeHttpRequests(OwnPaths::rules)
        .build();
  }

  /** The API, where only tokens count, and the files of the page. */
  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE + 101)
  SecurityFilterChain forebaySecurityFilterChain(HttpSecurity http, CallerSecurity callers) {
    return callers
        .stateless(http.securityMatcher(OwnPaths.MATCHER), true)
        .authorizeHttpRequests(OwnPaths::rules)
        .build();
  }

  @Bean
  AdminAccess.Checked forebayAdminAccess() {
    return new AdminAccess.Checked();
  }

  @Bean
  MappedInterceptor forebayChainCheck() {
    return new MappedInterceptor(null, new ChainCheck());
  }

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
