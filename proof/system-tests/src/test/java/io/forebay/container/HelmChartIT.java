/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.forebay.app.ForebayProcess;
import io.forebay.testing.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The chart of {@code helm/forebay} as Helm renders it. Helm and kubectl-validate, which brings
 * Kubernetes' own schemas, are programs that {@code .ci/run} installs.
 */
@Tag("proof")
class HelmChartIT {

  private static final Path CHART = ForebayProcess.checkout().resolve("helm/forebay");
  private static final String ON_CHRONICLE = "backend=chronicle";
  private static final String ON_KAFKA = "backend=kafka,kafka.bootstrapServers=kafka:9092";
  private static final String ALL_VALUES =
      ",tlsSecret=door,secrets={database,kafka},javaOptions=-Xss1m,storage.className=local"
          + ",imagePullSecrets[0].name=pull,nodeSelector.disk=ssd,tolerations[0].operator=Exists"
          + ",affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
          + ".nodeSelectorTerms[0].matchExpressions[0].key=a"
          + ",affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
          + ".nodeSelectorTerms[0].matchExpressions[0].operator=Exists";

  @TempDir Path directory;

  @BeforeAll
  static void needsItsPrograms() {
    for (String program : List.of("helm", "kubectl-validate")) {
      if (ChildProcess.tryRun(program, "--help").isEmpty()) {
        String reason = program + " is not on the PATH (see .ci/run); the chart is not tried";
        if (System.getenv("CI") != null) {
          throw new AssertionError(reason);
        }
        System.err.println("skipped: " + reason);
        abort(reason);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {ON_CHRONICLE, ON_KAFKA})
  void lintAndTheSchemasOfKubernetesFindNothing(String backend) throws Exception {
    for (String values : List.of(backend, backend + ALL_VALUES)) {
      assertThat(ChildProcess.run("helm", "lint", "--strict", CHART.toString(), "--set", values))
          .contains("0 chart(s) failed");
      Path rendered = Files.writeString(directory.resolve("all.yaml"), template("--set", values));
      assertThat(ChildProcess.run("kubectl-validate", rendered.toString())).contains("OK");
    }
  }

  @Test
  void onChronicleOnePodOwnsAVolume() {
    Map<String, JsonNode> objects = render(ON_CHRONICLE + ",storage.size=7Gi");
    assertThat(objects.keySet())
        .containsExactlyInAnyOrder("StatefulSet", "ConfigMap", "Service", "NetworkPolicy");
    JsonNode set = objects.get("StatefulSet").path("spec");
    assertThat(set.path("replicas").asInt()).isEqualTo(1);
    JsonNode claim = set.path("volumeClaimTemplates").path(0);
    assertThat(claim.at("/spec/resources/requests/storage").asString()).isEqualTo("7Gi");
    assertThat(mounts(objects))
        .containsEntry(claim.at("/metadata/name").asString(), "/var/lib/forebay");
    assertThat(volumes(objects)).doesNotContainKey("data");
    assertThat(environment(objects)).doesNotContainKey("SPRING_PROFILES_ACTIVE");
  }

  @Test
  void onKafkaPodsShareThePartitionsAndOneAtATimeMayLeave() {
    Map<String, JsonNode> objects = render(ON_KAFKA + ",kafka.replicas=5");
    assertThat(objects.keySet())
        .containsExactlyInAnyOrder(
            "Deployment", "PodDisruptionBudget", "ConfigMap", "Service", "NetworkPolicy");
    JsonNode deployment = objects.get("Deployment").path("spec");
    assertThat(deployment.path("replicas").asInt()).isEqualTo(5);
    assertThat(deployment.at("/strategy/rollingUpdate/maxUnavailable").asInt()).isEqualTo(1);
    JsonNode budget = objects.get("PodDisruptionBudget").path("spec");
    assertThat(budget.path("maxUnavailable").asInt()).isEqualTo(1);
    assertThat(volumes(objects).get("data").has("emptyDir")).isTrue();
    assertThat(environment(objects))
        .containsEntry("SPRING_PROFILES_ACTIVE", "kafka")
        .containsEntry("FOREBAY_KAFKA_PROPERTIES_BOOTSTRAP_SERVERS", "kafka:9092");
  }

  @ParameterizedTest
  @ValueSource(strings = {ON_CHRONICLE, ON_KAFKA})
  void everyObjectSelectsThePodsOfThisReleaseOnly(String backend) {
    Map<String, JsonNode> objects =
        render(backend + ",serviceMonitor.enabled=true,serviceMonitor.tokenSecret=viewer");
    JsonNode labels = workload(objects).at("/spec/template/metadata/labels");
    List<JsonNode> selectors = new ArrayList<>();
    objects.forEach((kind, object) -> {
      JsonNode spec = object.path("spec");
      switch (kind) {
        case "ConfigMap" -> {}
        case "Service" -> selectors.add(spec.path("selector"));
        case "NetworkPolicy" -> selectors.add(spec.at("/podSelector/matchLabels"));
        default -> selectors.add(spec.at("/selector/matchLabels"));
      }
    });
    assertThat(selectors).hasSize(objects.size() - 1);
    for (JsonNode selector : selectors) {
      assertThat(selector.path("app.kubernetes.io/instance").asString()).isEqualTo("shop");
      selector
          .properties()
          .forEach(it -> assertThat(labels.path(it.getKey())).isEqualTo(it.getValue()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {ON_CHRONICLE, ON_KAFKA})
  void theContainerHasNoRightsAndWritesToItsVolumesOnly(String backend) {
    JsonNode pod = pod(render(backend));
    assertThat(pod.path("automountServiceAccountToken").asBoolean(true)).isFalse();
    JsonNode all = pod.path("securityContext");
    assertThat(all.path("runAsNonRoot").asBoolean()).isTrue();
    assertThat(all.path("runAsUser").asInt()).isEqualTo(10001); // of the image
    assertThat(all.path("fsGroup").asInt()).isEqualTo(10001);
    assertThat(all.at("/seccompProfile/type").asString()).isEqualTo("RuntimeDefault");
    JsonNode own = pod.at("/containers/0/securityContext");
    assertThat(own.path("allowPrivilegeEscalation").asBoolean(true)).isFalse();
    assertThat(own.path("readOnlyRootFilesystem").asBoolean()).isTrue();
    assertThat(own.at("/capabilities/drop/0").asString()).isEqualTo("ALL");
    for (JsonNode mount : pod.at("/containers/0/volumeMounts")) {
      boolean writable = mount.path("readOnly").isMissingNode();
      assertThat(writable)
          .isEqualTo(List.of("data", "tmp").contains(mount.path("name").asString()));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 20})
  void thePodIsKilledOnlyAfterAllPhasesOfAStop(int seconds) {
    Map<String, JsonNode> objects = render(ON_CHRONICLE + ",shutdownPhaseSeconds=" + seconds);
    assertThat(environment(objects))
        .containsEntry("SPRING_LIFECYCLE_TIMEOUTPERSHUTDOWNPHASE", seconds + "s");
    int before = container(objects).at("/lifecycle/preStop/sleep/seconds").asInt();
    assertThat(before).isPositive();
    // requests, jobs, waiting messages
    assertThat(pod(objects).path("terminationGracePeriodSeconds").asInt())
        .isGreaterThanOrEqualTo(before + 3 * seconds + 10);
  }

  @Test
  void probesAskTheServiceAndAllowForALongRecovery() {
    JsonNode plain = container(render(ON_CHRONICLE));
    JsonNode encrypted = container(render(ON_CHRONICLE + ",tlsSecret=door"));
    for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
      String group = probe.equals("readinessProbe") ? "readiness" : "liveness";
      assertThat(plain.at("/%s/httpGet/path".formatted(probe)).asString())
          .isEqualTo("/actuator/health/" + group);
      assertThat(plain.at("/%s/httpGet/scheme".formatted(probe)).asString()).isEqualTo("HTTP");
      assertThat(encrypted.at("/%s/httpGet/scheme".formatted(probe)).asString()).isEqualTo("HTTPS");
    }
    JsonNode startup = plain.path("startupProbe");
    int patience = startup.path("periodSeconds").asInt() * startup.path("failureThreshold").asInt();
    assertThat(patience).isGreaterThanOrEqualTo(600);
  }

  @Test
  void secretsAreReferencesAndNeverInTheChartsOwnObjects() {
    Map<String, JsonNode> objects = render(ON_KAFKA + ",secrets={database,kafka}");
    JsonNode sources = volumes(objects).get("secrets").at("/projected/sources");
    assertThat(sources.path(0).at("/secret/name").asString()).isEqualTo("database");
    assertThat(sources.path(1).at("/secret/name").asString()).isEqualTo("kafka");
    assertThat(mounts(objects)).containsEntry("secrets", "/run/secrets");
    assertThat(objects).doesNotContainKey("Secret");
  }

  @Test
  void onlyChosenPodsMayConnect() {
    JsonNode all = render(ON_CHRONICLE).get("NetworkPolicy").path("spec");
    assertThat(all.at("/ingress/0/from").toString()).isEqualTo("[{\"podSelector\":{}}]");
    assertThat(all.at("/ingress/0/ports").toString()).isEqualTo("[{\"port\":\"http\"}]");
    JsonNode some =
        render(ON_CHRONICLE + ",networkPolicy.from[0].podSelector.matchLabels.app=caller")
            .get("NetworkPolicy");
    assertThat(some.at("/spec/ingress/0/from/0/podSelector/matchLabels/app").asString())
        .isEqualTo("caller");
    assertThat(render(ON_CHRONICLE + ",networkPolicy.enabled=false"))
        .doesNotContainKey("NetworkPolicy");
  }

  @Test
  void prometheusGetsATokenByReference() {
    JsonNode endpoint =
        render(ON_CHRONICLE + ",serviceMonitor.enabled=true,serviceMonitor.tokenSecret=viewer")
            .get("ServiceMonitor")
            .at("/spec/endpoints/0");
    assertThat(endpoint.path("port").asString()).isEqualTo("http");
    assertThat(endpoint.path("path").asString()).isEqualTo("/actuator/prometheus");
    assertThat(endpoint.at("/authorization/credentials").toString())
        .isEqualTo("{\"name\":\"viewer\",\"key\":\"token\"}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "backend=rabbit",
        "backend=kafka",
        "kafka.replicas=0",
        "replicas=2",
        "storage.size=10GB",
        "shutdownPhaseSeconds=0",
        "serviceMonitor.enabled=true"
      })
  void valuesThatCannotWorkAreRefused(String values) {
    assertThat(ChildProcess.tryRun("helm", "template", "shop", CHART.toString(), "--set", values))
        .isEmpty();
  }

  /** The names of variables and files are those that the service reads. */
  @Test
  void theServiceStartsWithWhatIsRendered() throws Exception {
    Path values =
        Files.writeString(
            directory.resolve("values.yaml"),
            """
            tlsSecret: door
            secrets: [orders]
            configuration:
              forebay.default-gateway: shop
            catalogue:
              statements:
                - {name: orders.count, sql: select count(*) from note}
            """);
    Map<String, JsonNode> objects = objects(template("-f", values.toString()));
    Path tls = Files.createDirectory(directory.resolve("tls"));
    ChildProcess.run(
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "1",
        "-subj",
        "/CN=localhost",
        "-keyout",
        tls.resolve("tls.key").toString(),
        "-out",
        tls.resolve("tls.crt").toString());
    Path files = Files.createDirectory(directory.resolve("etc"));
    for (Map.Entry<String, JsonNode> file : objects.get("ConfigMap").path("data").properties()) {
      Files.writeString(files.resolve(file.getKey()), file.getValue().asString());
    }
    Map<String, String> variables = new HashMap<>();
    environment(objects)
        .forEach((name, value) ->
            variables.put(
                name,
                value
                    .replace("/etc/forebay-tls/", tls + "/")
                    .replace("/etc/forebay/", files + "/")));
    try (ForebayProcess forebay = ForebayProcess.start(directory.resolve("data"), variables)) {
      ChildProcess process = forebay.process();
      process.until(() -> process.output().contains("https://127.0.0.1"));
      assertThat(process.output()).contains("shop").doesNotContain("http://");
    }
  }

  private static Map<String, JsonNode> render(String values) {
    return objects(template("--set", values));
  }

  private static String template(String... values) {
    return ChildProcess.run(
        Stream.concat(Stream.of("helm", "template", "shop", CHART.toString()), Stream.of(values))
            .toArray(String[]::new));
  }

  /** By kind, of which the chart has one each. */
  private static Map<String, JsonNode> objects(String rendered) {
    Map<String, JsonNode> objects = new HashMap<>();
    for (Object document : new Yaml().loadAll(rendered)) {
      JsonNode object = JsonMapper.shared().valueToTree(document);
      assertThat(objects.put(object.path("kind").asString(), object)).isNull();
    }
    return objects;
  }

  private static JsonNode workload(Map<String, JsonNode> objects) {
    return Objects.requireNonNullElseGet(
        objects.get("StatefulSet"), () -> objects.get("Deployment"));
  }

  private static JsonNode pod(Map<String, JsonNode> objects) {
    return workload(objects).at("/spec/template/spec");
  }

  private static JsonNode container(Map<String, JsonNode> objects) {
    return pod(objects).at("/containers/0");
  }

  private static Map<String, String> environment(Map<String, JsonNode> objects) {
    Map<String, String> variables = new HashMap<>();
    container(objects)
        .path("env")
        .forEach(it -> variables.put(it.path("name").asString(), it.path("value").asString()));
    return variables;
  }

  private static Map<String, String> mounts(Map<String, JsonNode> objects) {
    Map<String, String> mounts = new HashMap<>();
    container(objects)
        .path("volumeMounts")
        .forEach(it -> mounts.put(it.path("name").asString(), it.path("mountPath").asString()));
    return mounts;
  }

  private static Map<String, JsonNode> volumes(Map<String, JsonNode> objects) {
    Map<String, JsonNode> volumes = new HashMap<>();
    pod(objects).path("volumes").forEach(it -> volumes.put(it.path("name").asString(), it));
    return volumes;
  }
}
