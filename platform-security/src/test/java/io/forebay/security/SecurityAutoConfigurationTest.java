/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.forebay.access.Passwords;
import io.forebay.access.TokenFile;
import io.forebay.access.TokenText;
import io.forebay.access.Tokens;
import io.forebay.access.Users;
import io.forebay.operations.Audit;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.StartRefused;
import io.forebay.system.StoredToken;
import io.forebay.system.TokenStore;
import io.forebay.system.UserStore;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.core.GrantedAuthorityDefaults;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.SecurityFilterChain;

/** Which requests the chain covers, beside the chains of the application and of Spring Boot. */
class SecurityAutoConfigurationTest {

  private static final AutoConfigurations BOOT =
      AutoConfigurations.of(
          SecurityAutoConfiguration.class,
          UserDetailsServiceAutoConfiguration.class,
          ServletWebSecurityAutoConfiguration.class,
          SecurityFilterAutoConfiguration.class);

  @TempDir Path data;

  /** The application's own chain, which covers any request. */
  @Configuration(proxyBeanMethods = false)
  static class OwnChain {

    @Bean
    SecurityFilterChain own(HttpSecurity http) {
      return http.httpBasic(it -> {})
          .authorizeHttpRequests(it -> it.anyRequest().permitAll())
          .build();
    }
  }

  private WebApplicationContextRunner runner() {
    TokenStore tokens = mock();
    when(tokens.add(any())).thenReturn(true);
    Users users = new Users(mock(UserStore.class));
    return new WebApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(io.forebay.security.SecurityAutoConfiguration.class))
        .withBean(Audit.class, Audit::none)
        .withBean(DataDirectory.class, () -> new DataDirectory(data))
        .withBean(
            Tokens.class,
            () ->
                new Tokens(
                    tokens, mock(TokenFile.class), Duration.ofDays(1), InstantSource.system()))
        .withBean(Users.class, () -> users)
        .withBean(Passwords.class)
        .withBean(
            SecurityProperties.class,
            () -> new SecurityProperties(null, null, Duration.ofHours(12), Duration.ofDays(365)));
  }

  private static List<String> filters(ApplicationContext context, String path) {
    List<Filter> filters = context.getBean(FilterChainProxy.class).getFilters(path);
    return filters == null
        ? List.of()
        : filters.stream().map(it -> it.getClass().getSimpleName()).toList();
  }

  private static void coversForebay(ApplicationContext context) {
    for (String path :
        List.of("/admin", "/admin/jobs/x", "/admin/v/1/x", "/api/v1/tokens", "/api/v1/tokens/a")) {
      assertThat(filters(context, path))
          .as(path)
          .contains("RefusalFilter", "BearerTokenAuthenticationFilter");
    }
    assertThat(filters(context, "/admin/api/v1/me"))
        .contains("CsrfFilter", "UsernamePasswordAuthenticationFilter");
    assertThat(filters(context, "/api/v1/tokens"))
        .doesNotContain("CsrfFilter", "RememberMeAuthenticationFilter");
    assertThat(
            context.getBeansOfType(
                org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean.class))
        .as("the filter is registered once")
        .hasSize(1);
  }

  @Test
  void withoutBootsSecurityOtherPathsHaveNoChain() {
    runner()
        .run(context -> {
          coversForebay(context);
          for (String path :
              List.of(
                  "/",
                  "/orders",
                  "/api/v1/orders",
                  "/api/v1/tokens/a/b",
                  "/api/v1",
                  "/admin/x",
                  "/admin/actuator",
                  "/admin/api/v1/x",
                  "/administrator")) {
            assertThat(filters(context, path)).as(path).isEmpty();
          }
        });
  }

  @Test
  void withBootsSecurityOtherPathsNeedALoginAsInAnyApplicationOfSpringBoot() {
    runner()
        .withConfiguration(BOOT)
        .run(context -> {
          coversForebay(context);
          assertThat(filters(context, "/orders"))
              .contains("BasicAuthenticationFilter", "AuthorizationFilter")
              .doesNotContain("RefusalFilter");
        });
  }

  @Test
  void aChainOfTheApplicationKeepsItsPathsOnly() {
    runner()
        .withConfiguration(BOOT)
        .withUserConfiguration(OwnChain.class)
        .run(context -> {
          coversForebay(context);
          assertThat(filters(context, "/orders"))
              .contains("BasicAuthenticationFilter")
              .doesNotContain("RefusalFilter");
          assertThat(context.getBeansOfType(SecurityFilterChain.class)).hasSize(3);
        });
  }

  private static String viewer(ApplicationContext context) {
    String text = TokenText.generate();
    Instant now = Instant.now();
    Tokens tokens = context.getBean(Tokens.class);
    tokens.refresh();
    tokens.add(
        new StoredToken(
            "grafana",
            TokenText.hash(text),
            "viewer",
            List.of(),
            "test",
            now,
            now.plusSeconds(60)));
    return text;
  }

  @Test
  void withoutAChainACallerIsIdentifiedOnlyForTheRequestsOfOneRule() {
    runner()
        .run(context -> {
          String token = viewer(context);
          Map<String, Boolean> identified = new LinkedHashMap<>();
          for (String line :
              List.of(
                  "POST /api/v1/statements/a",
                  "GET /api/v1/statements/a",
                  "POST /api/v1/statements",
                  "POST /api/v1/tokens")) {
            String[] parts = line.split(" ");
            MockHttpServletRequest request = new MockHttpServletRequest(parts[0], parts[1]);
            request.addHeader("Authorization", "Bearer " + token);
            identified.put(line, context.getBean(CallerSecurity.class).byToken(request) != null);
          }
          assertThat(identified.values()).containsExactly(true, false, false, false);
        });
  }

  @Test
  void rolesOfCallersDoNotDependOnThePrefixThatTheApplicationHas() {
    runner()
        .withBean(GrantedAuthorityDefaults.class, () -> new GrantedAuthorityDefaults("APP_"))
        .run(context -> {
          MockHttpServletRequest request = new MockHttpServletRequest("GET", "/api/v1/status");
          request.addHeader("Authorization", "Bearer " + viewer(context));
          List<Boolean> isInRole = new ArrayList<>();
          context
              .getBean(FilterChainProxy.class)
              .doFilter(
                  request,
                  new MockHttpServletResponse(),
                  (it, _) -> {
                    isInRole.add(((HttpServletRequest) it).isUserInRole("VIEWER"));
                    isInRole.add(((HttpServletRequest) it).isUserInRole("OPERATOR"));
                  });
          assertThat(isInRole).containsExactly(true, false);
        });
  }

  @Test
  void withoutADatabaseTheStartNamesTheStarterToAdd() throws Exception {
    new WebApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                AccessAutoConfiguration.class,
                io.forebay.database.EmbeddedDatabaseAutoConfiguration.class,
                io.forebay.system.SystemDatabaseAutoConfiguration.class,
                Class.forName("io.forebay.system.SystemAutoConfiguration")))
        .withBean(DataDirectory.class, () -> new DataDirectory(data))
        .run(context ->
            assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("add io.forebay:forebay-starter-hsqldb")
                .hasMessageContaining("forebay.system.datasource"));
  }
}
