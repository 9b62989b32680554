/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.queue.memory.MemoryBackend;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Principal;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** An application with a door on a free port. Callers name themselves in a header. */
final class RunningDoor implements AutoCloseable {

  static final String CALLER = "X-Caller";
  static final ObjectMapper JSON = new ObjectMapper();

  private final ConfigurableApplicationContext context;
  private final HttpClient http = HttpClient.newHttpClient();
  private final URI address;

  private RunningDoor(ConfigurableApplicationContext context) {
    this.context = context;
    int port = ((WebServerApplicationContext) context).getWebServer().getPort();
    this.address = URI.create("http://127.0.0.1:" + port);
  }

  /**
   * @param more additional configuration of the application
   */
  static RunningDoor start(Path data, List<String> properties, Class<?>... more) {
    return start(data, properties, DoorLimits.of(512L << 20), more);
  }

  static RunningDoor start(
      Path data, List<String> properties, DoorLimits limits, Class<?>... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "forebay.data=" + data,
                "forebay.default-gateway=main",
                "server.port=0",
                "server.address=127.0.0.1",
                "spring.threads.virtual.enabled=true",
                "spring.main.banner-mode=off"));
    all.addAll(properties);
    if (all.stream().noneMatch(property -> property.startsWith("forebay.backend="))) {
      all.add("forebay.backend=memory");
    }
    return new RunningDoor(
        new SpringApplicationBuilder(App.class)
            .sources(more)
            .web(WebApplicationType.SERVLET)
            .initializers(
                it -> ((GenericApplicationContext) it).registerBean(DoorLimits.class, () -> limits))
            .run(all.stream().map(property -> "--" + property).toArray(String[]::new)));
  }

  /** Writes the default catalogue. */
  static void catalogue(Path data, String yaml) throws IOException {
    Files.createDirectories(data);
    Files.writeString(data.resolve("catalogue.yaml"), yaml);
  }

  /** A response with a JSON body. */
  record Answer(int status, Map<String, List<String>> headers, String text) {

    JsonNode body() {
      return JSON.readTree(text);
    }

    String header(String name) {
      return headers.getOrDefault(name.toLowerCase(java.util.Locale.ROOT), List.of("")).getFirst();
    }

    String problem() {
      return body().path("type").asString("").replace("urn:forebay:problem:", "");
    }
  }

  URI address() {
    return address;
  }

  JDBCService service() {
    return context.getBean(JDBCService.class);
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  Answer get(String caller, String path) {
    return send(request(caller, path).GET());
  }

  /**
   * @param headers names and values
   */
  Answer post(String caller, String path, String body, String... headers) {
    HttpRequest.Builder request =
        request(caller, path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request);
  }

  HttpRequest.Builder request(String caller, String path) {
    return HttpRequest.newBuilder(address.resolve(path)).header(CALLER, caller);
  }

  Answer send(HttpRequest.Builder request) {
    try {
      HttpResponse<byte[]> response =
          http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      return new Answer(
          response.statusCode(),
          response.headers().map(),
          new String(response.body(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    http.close();
    context.close();
  }

  /** Partitions of the smallest size. */
  @Configuration(proxyBeanMethods = false)
  static class SmallQueues {

    @Bean
    MemoryBackend smallBackend() {
      return MemoryBackend.open(2 << 20, InstantSource.system());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class App {

    /** The caller guest may only read items, and has no role; the others have all roles. */
    @Bean
    StatementGrants grants() {
      return (caller, statement) ->
          !caller.getName().equals("guest") || statement.startsWith("items.");
    }

    @Bean
    Filter whoCalls() {
      return (request, response, chain) -> {
        String caller = ((HttpServletRequest) request).getHeader(CALLER);
        Principal principal = () -> caller;
        chain.doFilter(
            new HttpServletRequestWrapper((HttpServletRequest) request) {
              @Override
              public Principal getUserPrincipal() {
                return caller == null || caller.isEmpty() ? null : principal;
              }

              @Override
              public boolean isUserInRole(String role) {
                return getUserPrincipal() != null && !caller.equals("guest");
              }
            },
            response);
      };
    }
  }
}
