/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.admin.AdminAccess;
import io.forebay.admin.LoggedIn;
import io.forebay.operations.Instance;
import io.forebay.operations.Services;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.Storage;
import io.forebay.queue.memory.MemoryBackend;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Storage over real HTTP. */
class HostApiTest {

  private static final String API = "/admin/api/v1/";
  private static final Instant CLOSED = Instant.parse("2026-03-01T13:00:00Z");

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(AdminAccess.Checked.class)
  static class Application {}

  @TempDir private Path data;
  private final HttpClient http = HttpClient.newHttpClient();
  private ServletWebServerApplicationContext context;

  /** Queues in memory that report one file. */
  private record WithAFile(MemoryBackend queues, Path directory) implements QueueBackend {

    @Override
    public String name() {
      return "memory";
    }

    @Override
    public MessageQueue open(String name, int partitions, Duration kept) {
      return queues.open(name, partitions, kept);
    }

    @Override
    public Optional<Storage> storage() {
      try {
        Storage.File file = new Storage.File("a.in/0/f", 4_096, CLOSED, Set.of("a"), false);
        return Optional.of(
            new Storage(
                directory,
                Files.getFileStore(directory),
                1,
                Duration.ofHours(1),
                List.of(
                    new Storage.OfQueue(
                        "a.in",
                        Duration.ZERO,
                        77,
                        0,
                        4_096,
                        List.of(file),
                        new Storage.Ring(1_024, 16, 64, Duration.ofMillis(3))))));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      queues.close();
    }
  }

  @BeforeEach
  void start() {
    context =
        (ServletWebServerApplicationContext)
            new SpringApplicationBuilder(Application.class)
                .initializers(it -> {
                  GenericApplicationContext beans = (GenericApplicationContext) it;
                  beans.registerBean(
                      Instance.class, () -> new Instance("test", "memory", Instant.EPOCH));
                  beans.registerBean(Services.class, () -> new Services(List.of(), null));
                  beans.registerBean(Filter.class, LoggedIn::filter);
                  beans.registerBean(
                      QueueBackend.class, () -> new WithAFile(MemoryBackend.open(), data));
                })
                .run(
                    "--spring.mvc.problemdetails.enabled=true",
                    "--server.port=0",
                    "--server.address=127.0.0.1",
                    "--forebay.backend=memory",
                    "--forebay.data=" + data);
  }

  @AfterEach
  void stop() {
    context.close();
  }

  private HttpResponse<String> get(String path) {
    try {
      return http.send(
          HttpRequest.newBuilder(
                  URI.create("http://127.0.0.1:" + context.getWebServer().getPort() + API + path))
              .header("Role", "VIEWER")
              .build(),
          BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private JsonNode json(String path) {
    HttpResponse<String> answer = get(path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JsonMapper.shared().readTree(answer.body());
  }

  @Test
  void showsTheVolumeItsQueuesAndWhoHoldsFilesBack() {
    await().until(() -> json("storage").at("/volume/usedBytes/v").asLong() > 0);
    JsonNode volume = json("storage").at("/volume");
    assertThat(volume.at("/stopBytes/v").asLong())
        .isEqualTo(volume.at("/sizeBytes/v").asLong() - 1);
    assertThat(volume.at("/runway/why").asString()).isNotEmpty();
    assertThat(volume.at("/roll").asInt()).isEqualTo(3_600);
    assertThat(volume.at("/held").toString()).isEqualTo("{\"a\":{\"files\":1,\"bytes\":4096}}");
    assertThat(volume.at("/byQueue/0/ring").toString())
        .isEqualTo("{\"capacityBytes\":1024,\"usedBytes\":16,\"highWaterBytes\":64,\"lag\":0.003}");
    assertThat(volume.at("/byQueue/0/files").asInt()).isEqualTo(1);
    assertThat(volume.at("/byQueue/0/kept").asInt(-1)).isZero();
    assertThat(json("storage/series?from=-1m&points=60").at("/series/used").size()).isPositive();
  }
}
