/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.forebay.app.ComposeFile.Mount;
import io.forebay.app.ComposeFile.Service;
import io.forebay.testing.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The files of {@code docker/} match each other, the files they name, and the existing properties.
 */
class ContainerFilesTest {

  private static final Path ROOT = Path.of("..");
  private static final Path FOLDER = ComposeFile.FOLDER;
  private static final String SINGLE = "compose.single.yaml";
  private static final String KAFKA = "compose.kafka.yaml";
  private static final String OBSERVE = "compose.observe.yaml";

  /** A secret that users create themselves when Forebay is running. */
  private static final String TOKEN = "prometheus_token";

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {SINGLE, KAFKA, OBSERVE})
  void everyMentionedFileExists(String name) throws Exception {
    ComposeFile compose = ComposeFile.read(name);
    Set<String> made = secrets(directory);
    made.add(TOKEN);
    compose
        .secretFiles()
        .forEach(
            (secret, file) -> assertThat(made).as("%s", file).contains(file.getFileName() + ""));
    compose
        .services()
        .forEach((service, it) -> {
          for (Mount mount : it.volumes()) {
            if (mount.source().startsWith(".")) {
              assertThat(FOLDER.resolve(mount.source())).as(service).exists();
            } else {
              assertThat(compose.names("volumes")).as(service).contains(mount.source());
            }
          }
          for (Mount secret : it.secrets()) {
            assertThat(compose.names("secrets")).as(service).contains(secret.source());
          }
          assertThat(compose.names("services")).containsAll(it.section("depends_on").keySet());
          if (it.content().containsKey("build")) {
            Path context = FOLDER.resolve(String.valueOf(it.section("build").get("context")));
            assertThat(context.resolve(String.valueOf(it.section("build").get("dockerfile"))))
                .exists();
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {SINGLE, KAFKA})
  void everyForebaySettingIsAKnownProperty(String name) throws Exception {
    Set<String> variables = new HashSet<>();
    List<String> properties = new ArrayList<>();
    for (Service service : ComposeFile.read(name).services().values()) {
      if (service.isForebay()) {
        variables.addAll(service.environment().keySet());
        service.secrets().stream()
            .map(Mount::target)
            .filter(it -> it.startsWith("forebay."))
            .forEach(properties::add);
        assertThat(service.environment().getOrDefault("SPRING_PROFILES_ACTIVE", "chronicle"))
            .satisfies(it ->
                assertThat(Path.of("src/main/resources/application-" + it + ".yaml")).exists());
      }
    }
    Matcher image = Pattern.compile("\\b(FOREBAY_\\w+)=").matcher(dockerfile());
    while (image.find()) {
      variables.add(image.group(1));
    }
    assertThat(variables).filteredOn(it -> it.startsWith("FOREBAY_")).hasSizeGreaterThan(4);
    for (String variable : variables) {
      if (variable.startsWith("FOREBAY_")) {
        assertThat(known()).as(variable).anyMatch(it -> variable.matches(asVariable(it)));
      }
    }
    assertThat(properties)
        .hasSizeGreaterThanOrEqualTo(2 * forebays(name))
        .allSatisfy(property ->
            assertThat(known()).as(property).anyMatch(it -> property.matches(asPattern(it))));
  }

  private static int forebays(String name) {
    return Math.toIntExact(
        ComposeFile.read(name).services().values().stream().filter(Service::isForebay).count());
  }

  /** The properties of the application and of its backend, as they are written in files. */
  private static Set<String> known() throws IOException {
    Set<String> known =
        PropertyTables.properties().stream().map(PropertyTables.Property::written).collect(toSet());
    if (known.stream().noneMatch(it -> it.startsWith("forebay.kafka."))) {
      Matcher parameter =
          Pattern.compile("@param (\\w+)")
              .matcher(
                  Files.readString(
                      ROOT.resolve(
                          "backend-kafka/src/main/java/io/forebay/kafka/KafkaProperties.java")));
      while (parameter.find()) {
        known.add(
            "forebay.kafka."
                + parameter.group(1).replaceAll("(\\p{Lu})", "-$1").toLowerCase(Locale.ROOT));
      }
    }
    return known;
  }

  private static String asPattern(String property) {
    return property
        .replace(".", "\\.")
        .replaceAll("properties(\\\\.<name>)?$", "properties(\\\\.[a-z]+)+")
        .replace("<name>", "[a-z]+");
  }

  private static String asVariable(String property) {
    return property
        .replace("<name>", "main")
        .replace("-", "")
        .replace('.', '_')
        .toUpperCase(Locale.ROOT)
        .replace("_MAIN_", "_[A-Z]+_")
        .replaceAll("PROPERTIES(_MAIN)?$", "PROPERTIES(_[A-Z]+)+");
  }

  @ParameterizedTest
  @ValueSource(strings = {SINGLE, KAFKA, OBSERVE})
  void everyServiceIsBoundedWatchedAndReachableFromThisHostOnly(String name) throws Exception {
    boolean imageIsWatched = dockerfile().contains("\nHEALTHCHECK ");
    ComposeFile.read(name)
        .services()
        .forEach((service, it) -> {
          assertThat(it.text("mem_limit")).as(service).matches("\\d+[mg]");
          if (it.content().containsKey("entrypoint")) {
            assertThat(it.text("restart")).as("%s ends", service).isEqualTo("on-failure");
          } else {
            assertThat(it.text("restart")).as(service).isEqualTo("unless-stopped");
          }
          assertThat(it.texts("security_opt"))
              .as(service)
              .containsExactly("no-new-privileges:true");
          assertThat(it.texts("ports")).as(service).allMatch(port -> port.startsWith("127.0.0.1:"));
          assertThat(it.content().containsKey("healthcheck") || it.isForebay() && imageIsWatched)
              .as("%s has a health check", service)
              .isTrue();
          assertThat(it.environment())
              .as("no password of %s stands in the file", service)
              .allSatisfy((variable, value) -> {
                if (variable.contains("PASSWORD")) {
                  assertThat(variable).endsWith("_FILE");
                  assertThat(value).startsWith("/run/secrets/");
                }
              });
          if (it.isForebay()) {
            assertThat(it.text("read_only")).as(service).isEqualTo("true");
            assertThat(it.texts("cap_drop")).as(service).containsExactly("ALL");
            assertThat(it.volumes()).as(service).anyMatch(mount -> mount.target().equals(data()));
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {SINGLE, KAFKA})
  void onlyForebayReachesTheBrokersAndTheDatabaseAndBrokersEncrypt(String name) {
    ComposeFile compose = ComposeFile.read(name);
    Map<?, ?> networks = (Map<?, ?>) compose.content().get("networks");
    compose
        .services()
        .forEach((service, it) -> {
          if (it.isForebay()) {
            assertThat(it.section("networks").keySet()).isEqualTo(networks.keySet());
          } else {
            assertThat(it.environment().getOrDefault("KAFKA_LISTENER_SECURITY_PROTOCOL_MAP", ""))
                .doesNotContain("PLAINTEXT");
            assertThat(it.texts("networks"))
                .as(service)
                .singleElement()
                .satisfies(network ->
                    assertThat(networks.get(network)).isEqualTo(Map.of("internal", true)));
          }
        });
  }

  @Test
  void theImageIsNotRootAndEndsOnASignal() throws Exception {
    String last = dockerfile().substring(dockerfile().lastIndexOf("\nFROM "));
    assertThat(last)
        .contains("\nUSER 10001:10001\n", "\nVOLUME " + data() + "\n")
        .containsPattern("(?m)^ENTRYPOINT \\[\"java\", .*\"-jar\", \"forebay.jar\"\\]$")
        .containsPattern("(?m)^HEALTHCHECK ")
        .doesNotContain("\nCMD ", "\nRUN ");
  }

  /** The start refuses the first without the second. */
  @Test
  void theImageListensOnAllAddressesAndSaysSo() throws Exception {
    assertThat(dockerfile())
        .contains("SERVER_ADDRESS=0.0.0.0 ", "FOREBAY_SECURITY_PLAINHTTP=allowed ");
  }

  @Test
  void everyImageIsNamedByVersionAndDigest() throws Exception {
    List<String> images = new ArrayList<>();
    for (String name : List.of(SINGLE, KAFKA, OBSERVE)) {
      ComposeFile.read(name).services().values().stream()
          .filter(it -> !it.isForebay())
          .forEach(it -> images.add(it.text("image")));
    }
    Pattern.compile("(?m)^ARG \\w+_IMAGE=(.*)$")
        .matcher(dockerfile())
        .results()
        .forEach(it -> images.add(it.group(1)));
    assertThat(images)
        .hasSizeGreaterThan(7)
        .allMatch(it -> it.matches("[a-z/-]+:v?\\d+\\.\\d+[\\w.-]*@sha256:[0-9a-f]{64}"));
    assertThat(Pattern.compile("(?m)^FROM (.*)$").matcher(dockerfile()).results())
        .allMatch(it -> it.group(1).matches("(\\$\\{\\w+}|scratch|service|training)( AS \\w+)?"));
  }

  @Test
  void theBuildContextContainsTheFilesOfTheImage() throws Exception {
    List<String> left = Files.readAllLines(ROOT.resolve(".dockerignore"));
    assertThat(left).contains(".git", "**/target", "docker/secrets");
    Matcher copied = Pattern.compile("(?m)^COPY (?!--)(\\S+) ").matcher(dockerfile());
    List<String> sources = copied.results().map(it -> it.group(1)).toList();
    assertThat(sources).contains("docker/health/Ready.java", "platform-app/target/forebay.jar");
    for (String source : sources) {
      if (source.contains("/target/")) {
        assertThat(left).contains("!" + source);
      } else {
        assertThat(ROOT.resolve(source)).exists();
        assertThat(left).doesNotContain(source, source.split("/")[0]);
      }
    }
  }

  @Test
  void prometheusAndGrafanaFindTheirFiles() throws Exception {
    Map<String, Service> services = ComposeFile.read(OBSERVE).services();
    String prometheus = Files.readString(FOLDER.resolve("prometheus/prometheus.yml"));
    assertThat(targets(services.get("prometheus")))
        .contains("/etc/prometheus/prometheus.yml", "/etc/prometheus/forebay-rules.yml");
    assertThat(prometheus)
        .contains("rule_files: [forebay-rules.yml]", "job_name: forebay\n", "/run/secrets/" + TOKEN)
        .contains("names: [forebay]");
    assertThat(ComposeFile.read(SINGLE).names("services")).contains("forebay");
    ComposeFile.read(KAFKA).services().values().stream()
        .filter(Service::isForebay)
        .forEach(
            it -> assertThat(it.section("networks").get("default") + "").contains("[forebay]"));
    assertThat(services.get("prometheus").secrets()).contains(new Mount(TOKEN, TOKEN));

    String provider =
        Files.readString(FOLDER.resolve("grafana/provisioning/dashboards/forebay.yaml"));
    assertThat(targets(services.get("grafana")))
        .contains("/etc/grafana/provisioning", "/etc/grafana/dashboards/forebay-dashboard.json");
    assertThat(provider).contains("path: /etc/grafana/dashboards\n");
  }

  private static List<String> targets(Service service) {
    return service.volumes().stream().map(Mount::target).toList();
  }

  @Test
  void theSecretsAreCreatedOnceAndDiffer() throws Exception {
    Set<String> names = secrets(directory);
    Set<String> first = new HashSet<>();
    for (String name : names) {
      first.add(Files.readString(directory.resolve(name)));
    }
    assertThat(first).hasSize(8).hasSameSizeAs(names);
    assertThat(first).filteredOn(it -> it.matches("[0-9a-f]{48}")).hasSize(5);
    secrets(directory);
    for (String name : names) {
      assertThat(first).contains(Files.readString(directory.resolve(name)));
    }
    assertThat(Files.readAllLines(ROOT.resolve(".gitignore"))).contains("/docker/secrets/");
  }

  @ParameterizedTest
  @ValueSource(strings = {SINGLE, KAFKA})
  void composeUnderstandsTheFiles(String name) throws Exception {
    if (ChildProcess.tryRun("docker", "compose", "version").isEmpty()) {
      abort("docker with the compose plugin is missing; it cannot check the files");
    }
    ChildProcess.run(
        "docker",
        "compose",
        "-f",
        FOLDER.resolve(name).toString(),
        "-f",
        FOLDER.resolve(OBSERVE).toString(),
        "config",
        "-q");
  }

  /** Creates the secrets as a user does; returns what was created. */
  static Set<String> secrets(Path where) throws Exception {
    ChildProcess.run("sh", FOLDER.resolve("secrets.sh").toString(), where.toString());
    try (Stream<Path> files = Files.list(where)) {
      return files.map(it -> it.getFileName().toString()).collect(toSet());
    }
  }

  static String dockerfile() throws IOException {
    return Files.readString(FOLDER.resolve("Dockerfile"));
  }

  private static String data() {
    return "/var/lib/forebay";
  }
}
