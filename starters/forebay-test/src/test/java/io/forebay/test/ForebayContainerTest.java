/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.forebay.client.DoorClient;
import io.forebay.client.DoorProblem;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application whose client of the door finds a container, here one without an engine. */
@SpringBootTest(
    webEnvironment = WebEnvironment.NONE,
    properties = {"forebay.backend=memory", "forebay.client.url=http://127.0.0.1:1"})
class ForebayContainerTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {

    @Bean
    @ServiceConnection
    LocalDoor forebay() throws IOException {
      return new LocalDoor();
    }
  }

  /** Answers every request with 404. */
  static class LocalDoor extends ForebayContainer {

    private final HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    private final List<String> authorizations = new CopyOnWriteArrayList<>();

    LocalDoor() throws IOException {
      super("forebay");
      server.createContext(
          "/",
          exchange -> {
            authorizations.add(exchange.getRequestHeaders().getFirst("Authorization"));
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
          });
      server.start();
    }

    @Override
    public void start() {} // needs no engine

    @Override
    public void stop() {
      server.stop(0);
    }

    @Override
    public String getHost() {
      return "127.0.0.1";
    }

    @Override
    public Integer getMappedPort(int port) {
      assertThat(port).isEqualTo(8080);
      return server.getAddress().getPort();
    }
  }

  @Autowired private DoorClient door;
  @Autowired private LocalDoor container;

  @Test
  void theClientSendsTheTokenOfTheContainer() {
    assertThatThrownBy(() -> door.send("orders.place", Map.of())).isInstanceOf(DoorProblem.class);
    assertThat(container.token()).matches("fb_[A-Za-z0-9_-]{43}");
    assertThat(container.getEnvMap())
        .containsEntry("FOREBAY_SECURITY_FIRSTTOKEN", container.token());
    assertThat(container.authorizations).containsExactly("Bearer " + container.token());
  }

  @EnableAutoConfiguration
  static class RemoteEngine {

    @Bean
    @ServiceConnection
    LocalDoor forebay() throws IOException {
      return new LocalDoor() {
        @Override
        public String getHost() {
          return "docker";
        }
      };
    }
  }

  @Test
  void theEngineMayBeOnAnotherHost(@TempDir Path data) {
    new ApplicationContextRunner()
        .withUserConfiguration(RemoteEngine.class)
        .withPropertyValues("forebay.backend=memory", "forebay.data=" + data)
        .run(application -> assertThat(application).hasSingleBean(DoorClient.class));
  }
}
