/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.forebay.client.DoorClient;
import io.forebay.client.DoorProblem;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** An application with exactly the dependencies of this starter. */
class ClientStarterTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  private static ConfigurableApplicationContext start(String... properties) {
    return new SpringApplicationBuilder(Application.class).run(properties);
  }

  @Test
  void withoutAnAddressThereIsNoClient() {
    try (ConfigurableApplicationContext application = start()) {
      assertThat(application.getBeanProvider(DoorClient.class)).isEmpty();
    }
  }

  @Test
  void theClientSendsTheTokenToTheAddress() throws Exception {
    AtomicReference<String> authorization = new AtomicReference<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/api/v1/statements/orders.place",
        exchange -> {
          authorization.set(exchange.getRequestHeaders().getFirst("Authorization"));
          exchange.sendResponseHeaders(404, -1);
          exchange.close();
        });
    server.start();
    try (ConfigurableApplicationContext application =
        start(
            "--forebay.client.url=http://127.0.0.1:" + server.getAddress().getPort(),
            "--forebay.client.token=secret",
            "--forebay.client.request-timeout=10s")) {
      DoorClient door = application.getBean(DoorClient.class);
      assertThatThrownBy(() -> door.send("orders.place", Map.of("id", 1)))
          .isInstanceOfSatisfying(
              DoorProblem.class, problem -> assertThat(problem.status()).isEqualTo(404));
      assertThat(authorization).hasValue("Bearer secret");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void anInvalidTimeIsRefused() {
    assertThatThrownBy(() ->
            start("--forebay.client.url=http://127.0.0.1:1", "--forebay.client.connect-timeout=0s"))
        .hasStackTraceContaining("connectTimeout");
  }
}
