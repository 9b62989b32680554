/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.access.Role;
import io.forebay.access.Tokens;
import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.ChunkOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** A process that has all metrics, as Prometheus scrapes it. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = {
      "forebay.chronicle.writing=async",
      "forebay.chronicle.min-free=1MB",
      "forebay.chronicle.ring.size=64KB"
    })
@Import(SendingJob.class)
@DirtiesContext
class MetricsApiTest {

  private static final Pattern DOCUMENTED =
      Pattern.compile("^\\| `(forebay_[a-z_]+)` \\|([^|]*)\\|", Pattern.MULTILINE);
  private static final Pattern MEANING =
      Pattern.compile("^\\| `(forebay_[a-z_]+)` \\|[^|]*\\| (.*) \\|$", Pattern.MULTILINE);
  private static final Pattern HELP =
      Pattern.compile("^# HELP (forebay_[a-z_]+) (.*)$", Pattern.MULTILINE);
  private static final Pattern SCRAPED =
      Pattern.compile("^(forebay_[a-z_]+)(?:\\{([^}]*)})? ", Pattern.MULTILINE);
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)[=`]");

  @TempDir static Path data;

  @Autowired Tokens tokens;
  @LocalServerPort int port;

  @TestConfiguration(proxyBeanMethods = false)
  static class Chunks {

    @Bean
    CallCollector calls() {
      CallCollector collector = new CallCollector();
      collector.service("names", ChunkFunction.inOrder(it -> it), ChunkOptions.defaults());
      return collector;
    }
  }

  @DynamicPropertySource
  static void directories(DynamicPropertyRegistry registry) {
    registry.add("forebay.data", () -> data.resolve("forebay").toString());
    registry.add("forebay.chronicle.ring.directory", data::toString);
  }

  @Test
  void theMetricsAreThoseOfThePage() throws Exception {
    Door door = new Door(port);
    String viewer = Door.token(tokens, "olga", Role.VIEWER);
    Map<String, Set<String>> documented =
        labels(DOCUMENTED, Files.readString(Path.of("../docs/admin.md")));
    await()
        .untilAsserted(
            () -> assertThat(labels(SCRAPED, scrape(door, viewer))).isEqualTo(documented));
    assertThat(scrape(door, viewer))
        .contains("hikaricp_connections{pool=\"forebay-system\"}")
        .contains("hikaricp_connections{pool=\"forebay-jobs\"}")
        .contains("hikaricp_connections{pool=\"forebay-main-results\"}");
    assertThat(meanings(HELP, scrape(door, viewer)))
        .isEqualTo(meanings(MEANING, Files.readString(Path.of("../docs/admin.md"))));
  }

  /** What each metric means, without links and code. */
  private static Map<String, String> meanings(Pattern metric, String text) {
    Map<String, String> meanings = new TreeMap<>();
    metric
        .matcher(text)
        .results()
        .forEach(it ->
            meanings.put(
                it.group(1),
                it.group(2).replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1").replace("`", "")));
    return meanings;
  }

  private static String scrape(Door door, String token) throws Exception {
    return door.get("/actuator/prometheus", token)
        .body()
        .replace("forebay_statement_seconds_count", "forebay_statement_seconds")
        .replace("forebay_statement_seconds_sum", "forebay_statement_seconds");
  }

  /** The labels of each metric. */
  private static Map<String, Set<String>> labels(Pattern metric, String text) {
    Map<String, Set<String>> labels = new TreeMap<>();
    metric
        .matcher(text)
        .results()
        .forEach(it ->
            labels
                .computeIfAbsent(it.group(1), _ -> new TreeSet<>())
                .addAll(
                    LABEL
                        .matcher(it.group(2) == null ? "" : it.group(2))
                        .results()
                        .map(label -> label.group(1))
                        .collect(Collectors.toSet())));
    return labels;
  }
}
