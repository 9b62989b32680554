/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.forebay.client.DoorClient;
import io.forebay.client.DoorProblem;
import io.forebay.client.DoorUnavailable;
import io.forebay.client.StatementStream;
import io.forebay.client.StreamOptions;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertPathBuilderException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.docker.compose.core.ConnectionPorts;
import org.springframework.boot.docker.compose.core.ImageReference;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.ReflectionUtils;

/** An application that uses only the client. */
class ClientAutoConfigurationTest {

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({ClientAutoConfiguration.class, SslAutoConfiguration.class})
  static class Application {}

  private static ConfigurableApplicationContext start(String... properties) {
    return new SpringApplicationBuilder(Application.class)
        .web(WebApplicationType.NONE)
        .run(properties);
  }

  @Test
  void withoutAnAddressThereIsNoClient() {
    try (ConfigurableApplicationContext application = start()) {
      assertThat(application.getBeanProvider(DoorClient.class)).isEmpty();
    }
  }

  @Test
  void theClientSendsTheTokenToTheAddress() throws Exception {
    sendsToken(port ->
        start("--forebay.client.url=http://127.0.0.1:" + port, "--forebay.client.token=secret"));
  }

  @Test
  void aServiceOfDockerComposePrecedesTheProperties() throws Exception {
    DoorConnectionDetails none = composed("postgres:18", Map.of(), 8080);
    assertThat(none).isNull();
    for (Map<String, String> variables :
        List.of(Map.of("FOREBAY_SECURITY_FIRSTTOKEN", "secret"), Map.<String, String>of())) {
      sendsToken(port -> {
        DoorConnectionDetails door = composed("forebay:1.0", variables, port);
        assertThat(door.allowsPlainHttp()).isTrue(); // the engine may be on another host
        return new SpringApplicationBuilder(Application.class)
            .web(WebApplicationType.NONE)
            .initializers(context ->
                ((GenericApplicationContext) context)
                    .registerBean(DoorConnectionDetails.class, () -> door))
            .run("--forebay.client.url=http://127.0.0.1:1", "--forebay.client.token=other");
      });
    }
  }

  /** What Spring Boot asks for a running service. */
  private static @Nullable DoorConnectionDetails composed(
      String image, Map<String, String> variables, int port) throws NoSuchMethodException {
    RunningService service =
        (RunningService)
            Proxy.newProxyInstance(
                RunningService.class.getClassLoader(),
                new Class<?>[] {RunningService.class},
                (_, method, arguments) ->
                    switch (method.getName()) {
                      case "image" -> ImageReference.of(image);
                      case "host" -> "127.0.0.1";
                      case "ports" -> new OnePort(port);
                      case "env" -> variables;
                      case "labels" -> Map.of();
                      default -> throw new UnsupportedOperationException(method.getName());
                    });
    StandardEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .addFirst(new MapPropertySource("test", Map.of("forebay.client.token", "secret")));
    return new DoorDockerComposeConnectionDetailsFactory()
        .getConnectionDetails(
            BeanUtils.instantiateClass(
                ReflectionUtils.accessibleConstructor(
                    DockerComposeConnectionSource.class, RunningService.class, Environment.class),
                service,
                environment));
  }

  private record OnePort(int port) implements ConnectionPorts {

    @Override
    public int get(int containerPort) {
      assertThat(containerPort).isEqualTo(8080);
      return port;
    }

    @Override
    public List<Integer> getAll() {
      return List.of(port);
    }

    @Override
    public List<Integer> getAll(String protocol) {
      return getAll();
    }
  }

  private interface Start {
    ConfigurableApplicationContext at(int port) throws Exception;
  }

  private static void sendsToken(Start start) throws Exception {
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
    try (ConfigurableApplicationContext application = start.at(server.getAddress().getPort())) {
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
  void theClientTrustsTheServersOfItsBundleOnly(@TempDir Path directory) throws Exception {
    Path store = directory.resolve("door.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "door",
                "-keyalg",
                "EC",
                "-dname",
                "CN=door",
                "-ext",
                "san=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                "changeit")
            .inheritIO()
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, "changeit".toCharArray());
    SSLContext ofServer = SSLContext.getInstance("TLS");
    ofServer.init(managers.getKeyManagers(), null, null);
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(ofServer));
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(404, -1);
          exchange.close();
        });
    server.start();
    String[] common = {
      "--forebay.client.url=https://127.0.0.1:" + server.getAddress().getPort(),
      "--spring.ssl.bundle.jks.door.truststore.location=file:" + store,
      "--spring.ssl.bundle.jks.door.truststore.password=changeit"
    };
    String[] trusting = Arrays.copyOf(common, common.length + 1);
    trusting[common.length] = "--spring.http.clients.ssl.bundle=door";
    try (ConfigurableApplicationContext trusts = start(trusting);
        ConfigurableApplicationContext doubts = start(common)) {
      assertThatThrownBy(() -> trusts.getBean(DoorClient.class).send("orders.place", Map.of()))
          .isInstanceOfSatisfying(
              DoorProblem.class, problem -> assertThat(problem.status()).isEqualTo(404));
      assertThatThrownBy(() -> doubts.getBean(DoorClient.class).send("orders.place", Map.of()))
          .isInstanceOf(DoorUnavailable.class)
          .hasMessageContaining("is not trusted")
          .hasRootCauseInstanceOf(CertPathBuilderException.class);
      StatementStream stream =
          doubts.getBean(DoorClient.class).stream(
              "orders", "orders.place", StreamOptions.defaults());
      stream.send(Map.of());
      assertThatThrownBy(stream::finish).hasMessageContaining("is not trusted");
    } finally {
      server.stop(0);
    }
  }
}
