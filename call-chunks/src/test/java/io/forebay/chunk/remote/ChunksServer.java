/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.URI;
import java.security.Principal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with a web server; the bearer token is the name of the caller. */
final class ChunksServer implements AutoCloseable {

  private final ConfigurableApplicationContext context;

  private ChunksServer(ConfigurableApplicationContext context) {
    this.context = context;
  }

  static ChunksServer start(Class<?> configuration, String... properties) {
    SpringApplicationBuilder application =
        new SpringApplicationBuilder(Application.class)
            .sources(configuration)
            .web(WebApplicationType.SERVLET)
            .properties(
                Map.of(
                    "server.port",
                    0,
                    "server.address",
                    "127.0.0.1",
                    "spring.main.banner-mode",
                    "off",
                    "spring.threads.virtual.enabled",
                    true,
                    "spring.application.name",
                    "chunks",
                    "forebay.backend",
                    "memory"))
            .properties(properties);
    return new ChunksServer(application.run());
  }

  URI address(String path) {
    int port = ((WebServerApplicationContext) context).getWebServer().getPort();
    return URI.create("http://127.0.0.1:" + port + path);
  }

  ConfigurableApplicationContext context() {
    return context;
  }

  @Override
  public void close() {
    context.close();
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {

    @Bean
    Filter bearer() {
      return (request, response, chain) -> {
        String header = ((HttpServletRequest) request).getHeader("Authorization");
        chain.doFilter(new Authenticated((HttpServletRequest) request, header), response);
      };
    }
  }

  private static final class Authenticated extends HttpServletRequestWrapper {

    private final @Nullable String header;

    Authenticated(HttpServletRequest request, @Nullable String header) {
      super(request);
      this.header = header;
    }

    @Override
    public @Nullable Principal getUserPrincipal() {
      return header == null ? null : () -> header.replaceFirst("Bearer ", "");
    }
  }
}
