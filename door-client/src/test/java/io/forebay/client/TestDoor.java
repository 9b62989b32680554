/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import io.forebay.hosting.Paused;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.http.StatementGrants;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.memory.MemoryBackend;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Principal;
import java.time.InstantSource;
import java.util.stream.IntStream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An application with a door on a free port. The token is the name of the caller. */
final class TestDoor implements AutoCloseable {

  private static final String CATALOGUE =
      """
      statements:
        - name: orders.place
          sql: insert into orders (id, item) values (:id, :item)
          params:
            - {name: id, type: long}
            - {name: item, type: text}
        - name: orders.count
          sql: select count(*) as n from orders
      """;
  private static final String TABLES =
      "create table orders (number bigint generated always as identity, id bigint, item varchar(200) not null);";

  private final ConfigurableApplicationContext context;

  private TestDoor(ConfigurableApplicationContext context) {
    this.context = context;
  }

  static TestDoor start(Path directory) throws IOException {
    Path data = Files.createDirectories(directory.resolve("data"));
    Files.writeString(data.resolve("catalogue.yaml"), CATALOGUE);
    Path migrations = Files.createDirectories(directory.resolve("migrations"));
    Files.writeString(migrations.resolve("V1__tables.sql"), TABLES);
    return new TestDoor(
        new SpringApplicationBuilder(App.class)
            .web(WebApplicationType.SERVLET)
            .run(
                "--forebay.data=" + data,
                "--forebay.default-gateway=main",
                "--forebay.backend=memory",
                "--forebay.gateways.main.partitions=2",
                "--forebay.gateways.main.migrations=filesystem:" + migrations,
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--spring.threads.virtual.enabled=true",
                "--spring.main.banner-mode=off"));
  }

  URI address() {
    int port = ((WebServerApplicationContext) context).getWebServer().getPort();
    return URI.create("http://127.0.0.1:" + port);
  }

  /** How far a stream of the caller {@code web} is, as soon as so many lines are performed. */
  JsonNode progress(String stream, long performed) throws IOException {
    String path = "/api/v1/streams/%s?wait=30s&performed=%d".formatted(stream, performed);
    HttpURLConnection connection =
        (HttpURLConnection) address().resolve(path).toURL().openConnection();
    connection.setRequestProperty("Authorization", "Bearer web");
    try (InputStream in = connection.getInputStream()) {
      return JsonMapper.shared().readTree(in);
    }
  }

  void pause() {
    Paused.pause(context.getBean(JDBCService.class), "so that the queue fills up");
  }

  /** Whether a partition refuses statements. */
  boolean isFull() {
    MessageQueue queue = context.getBean(JDBCService.class).in();
    return IntStream.range(0, queue.partitions())
        .anyMatch(partition -> queue.stats(partition).refusal() != null);
  }

  void resume() {
    context.getBean(JDBCService.class).resume();
  }

  @Override
  public void close() {
    context.close();
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class App {

    @Bean
    MemoryBackend smallBackend() {
      return MemoryBackend.open(2 << 20, InstantSource.system());
    }

    @Bean
    StatementGrants grants() {
      return (_, _) -> true;
    }

    @Bean
    Filter whoCalls() {
      return (request, response, chain) -> {
        String caller = ((HttpServletRequest) request).getHeader("Authorization");
        chain.doFilter(
            new HttpServletRequestWrapper((HttpServletRequest) request) {
              @Override
              public Principal getUserPrincipal() {
                return caller == null ? null : () -> caller.substring("Bearer ".length());
              }
            },
            response);
      };
    }
  }
}
