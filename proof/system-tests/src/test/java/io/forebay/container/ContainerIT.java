/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.container;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports.Binding;
import com.github.dockerjava.api.model.Volume;
import io.forebay.test.ForebayContainer;
import io.forebay.testing.MachineAddresses;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.MountableFile;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The image of {@code docker/}, run as docs/operations.md says. */
@Tag("proof")
class ContainerIT {

  private static final int PORT = 8080;

  private static MachineAddresses addresses;

  private final HttpClient http = HttpClient.newHttpClient();
  private final String volume = "forebay-test-" + UUID.randomUUID();

  @BeforeAll
  static void buildTheImageAndWaitForBrowsers() throws Exception {
    Engine.buildIfAsked("build");
    addresses = MachineAddresses.change();
  }

  @AfterAll
  static void letBrowsersGoOn() {
    if (addresses != null) {
      addresses.close();
    }
  }

  @Test
  void aResultIsThereWhenItsContainerEndedOnASignalAndAnotherHasTheVolume() throws Exception {
    String image = Engine.assumeImage();
    Engine.client().createVolumeCmd().withName(volume).exec();
    try {
      String token;
      JsonNode result;
      try (ForebayContainer first = container(image)) {
        first.start();
        assertThat(first.getContainerInfo().getConfig().getUser()).isEqualTo("10001:10001");
        JsonNode bill =
            first.copyFileFromContainer(
                "/opt/forebay/sbom/application.cdx.json", JsonMapper.shared()::readTree);
        assertThat(bill.path("metadata").path("component").path("name").asString())
            .isEqualTo("platform-app");
        token = first.token();
        assertThat(first.getLogs()).doesNotContain("fb_");
        result = perform(first, token, "notes.add", "{\"text\": \"from a container\"}");
        assertThat(result.path("count").asInt()).as("%s", result).isEqualTo(1);
        endsOnSigterm(first);
      }
      try (ForebayContainer second = container(image)) {
        // the token of the volume is that of the first one
        second
            .waitingFor(Wait.forHttp("/actuator/health/readiness"))
            .withStartupTimeout(Duration.ofMinutes(3))
            .start();
        String path = "results/" + result.path("id").asString();
        assertThat(send(request(second, token, path).build())).isEqualTo(result);
        JsonNode notes = perform(second, token, "notes.list", "{}").path("rows");
        assertThat(notes).hasSize(1);
        assertThat(notes.get(0).get(1).asString()).isEqualTo("from a container");
        endsOnSigterm(second);
      }
    } finally {
      Engine.client().removeVolumeCmd(volume).exec();
    }
  }

  @Test
  void theCommandsOfTheReadmeBuildAndStartTheService() throws Exception {
    Engine.assumeImage();
    Engine.buildIfAsked("readme");
  }

  @Test
  void statementsOfATestUseTheTablesOfItsMigrations() throws Exception {
    try (ForebayContainer container =
        new ForebayContainer(Engine.assumeImage())
            .withImagePullPolicy(_ -> false)
            .withCatalogue(MountableFile.forClasspathResource("io/forebay/container/orders.yaml"))
            .withMigrations(MountableFile.forClasspathResource("io/forebay/container/orders"))) {
      container.start();
      JsonNode result =
          perform(container, container.token(), "orders.place", "{\"item\": \"tea\"}");
      assertThat(result.path("count").asInt()).as("%s", result).isEqualTo(1);
    }
  }

  /** Half of the memory is heap: the process must neither be killed nor run out of it. */
  @Test
  void largeStatementsAndResultsOfManyClientsFitInto384Megabytes() throws Exception {
    String image = Engine.assumeImage();
    Engine.client().createVolumeCmd().withName(volume).exec();
    try (ForebayContainer container = container(image, 384L << 20)) {
      container.start();
      assertThat(container.getLogs()).doesNotContain("AOT cache"); // only failures are logged
      String token = container.token();
      Map<Integer, Integer> statuses = new ConcurrentHashMap<>();
      try (ExecutorService clients = Executors.newFixedThreadPool(32)) {
        for (int i = 0; i < 500; i++) {
          boolean adds = i % 3 > 0;
          String body = adds ? "{\"text\": \"" + "x".repeat(40_000) + "\"}" : "{}";
          HttpRequest request =
              request(container, token, "statements/notes." + (adds ? "add" : "list") + "?wait=20s")
                  .header("Content-Type", "application/json")
                  .POST(BodyPublishers.ofString(body))
                  .build();
          clients.submit(() -> {
            int status = http.send(request, BodyHandlers.ofString()).statusCode();
            statuses.merge(status, 1, Integer::sum);
            return null;
          });
        }
      }
      assertThat(statuses.keySet()).isSubsetOf(200, 202, 429, 503);
      assertThat(statuses.get(200)).isGreaterThan(100);
      assertThat(statuses.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(500);
      perform(container, token, "notes.list", "{}");
      endsOnSigterm(container);
    } finally {
      Engine.client().removeVolumeCmd(volume).exec();
    }
  }

  private ForebayContainer container(String image) {
    return container(image, 1L << 30).withEnv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1");
  }

  private ForebayContainer container(String image, long memory) {
    return new ForebayContainer(image)
        .withImagePullPolicy(_ -> false)
        .withTmpFs(Map.of("/tmp", "rw"))
        .withCreateContainerCmdModifier(create -> restrict(create.getHostConfig(), memory));
  }

  private void restrict(HostConfig host, long memory) {
    host.withReadonlyRootfs(true)
        .withBinds(new Bind(volume, new Volume("/var/lib/forebay")))
        .withCapDrop(Capability.ALL)
        .withSecurityOpts(List.of("no-new-privileges"))
        .withMemory(memory)
        .withMemorySwap(memory)
        .withPortBindings(new PortBinding(Binding.bindIp("127.0.0.1"), ExposedPort.tcp(PORT)));
  }

  /** An orchestrator stops it like this; 137 would be a SIGKILL after the time is over. */
  private static void endsOnSigterm(ForebayContainer container) {
    Engine.client().stopContainerCmd(container.getContainerId()).withTimeout(60).exec();
    ContainerState state = container.getCurrentContainerInfo().getState();
    assertThat(state.getExitCodeLong()).as(container.getLogs()).isEqualTo(143);
  }

  private JsonNode perform(
      ForebayContainer container, String token, String statement, String parameters)
      throws Exception {
    JsonNode result =
        send(
            request(container, token, "statements/" + statement + "?wait=20s")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", statement) // so that the id alone finds the result
                .POST(BodyPublishers.ofString(parameters))
                .build());
    assertThat(result.path("state").asString()).as("%s", result).isEqualTo("done");
    return result;
  }

  private JsonNode send(HttpRequest request) throws Exception {
    HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JsonMapper.shared().readTree(response.body());
  }

  private static HttpRequest.Builder request(
      ForebayContainer container, String token, String path) {
    return HttpRequest.newBuilder(container.url().resolve("/api/v1/" + path))
        .timeout(Duration.ofSeconds(60))
        .header("Authorization", "Bearer " + token);
  }
}
