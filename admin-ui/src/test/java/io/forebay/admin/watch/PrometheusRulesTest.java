/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.admin.verdict.AlertKind;
import io.forebay.testing.ChildProcess;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Rules and dashboard use existing metrics, and the rules have the marks of the page.
 *
 * <pre>mvn test -pl admin-ui -am -Dtest=PrometheusRulesTest
 *     -Dsurefire.failIfNoSpecifiedTests=false -Dforebay.docs.write=true</pre>
 *
 * regenerates the rules.
 */
class PrometheusRulesTest {

  private static final Path RULES = Path.of("../docker/prometheus/forebay-rules.yml");
  private static final Path DASHBOARD = Path.of("../docker/grafana/forebay-dashboard.json");
  private static final Pattern METRIC = Pattern.compile("forebay_[a-z_]+");

  @TempDir Path directory;

  @Test
  void theFileHasTheMarksOfThePage() throws Exception {
    String expected = PrometheusRules.yaml();
    if (Boolean.getBoolean("forebay.docs.write")) {
      Files.writeString(RULES, expected);
    } else {
      assertThat(RULES).content().isEqualTo(expected);
    }
  }

  @Test
  void everyRuleUsesExistingMetrics() throws Exception {
    List<Map<String, Object>> rules = rules();
    assertThat(rules).hasSizeGreaterThan(AlertKind.values().length);
    assertThat(rules.stream().map(it -> it.get("alert"))).doesNotHaveDuplicates();
    Set<String> known = known();
    for (Map<String, Object> rule : rules) {
      String expression = (String) rule.get("expr");
      if (!expression.startsWith("up{")) {
        assertThat(metrics(expression)).as(expression).isNotEmpty().isSubsetOf(known);
      }
    }
  }

  @Test
  void theManualOfTheAdminPageCoversEachKind() throws Exception {
    String page = Files.readString(Path.of("../docs/admin.md"));
    assertThat(rules())
        .allSatisfy(rule -> {
          Object kind = ((Map<?, ?>) rule.get("labels")).get("kind");
          assertThat(page).contains("| `" + kind + "` |");
        });
  }

  @Test
  void theDashboardUsesExistingMetrics() throws Exception {
    JsonNode dashboard = JsonMapper.shared().readTree(DASHBOARD);
    List<String> expressions = new ArrayList<>();
    dashboard
        .path("panels")
        .forEach(panel ->
            panel.path("targets").forEach(it -> expressions.add(it.path("expr").asString())));
    assertThat(expressions).hasSizeGreaterThan(8).doesNotContain("");
    Set<String> known = known();
    assertThat(expressions)
        .allSatisfy(it -> {
          if (!it.contains("ALERTS{")) {
            assertThat(metrics(it)).as(it).isNotEmpty().isSubsetOf(known);
          }
        });
  }

  @Test
  void promtoolFindsNothingWrong() throws Exception {
    boolean there =
        Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(it -> Files.isExecutable(Path.of(it, "promtool")));
    assumeTrue(there, "promtool is not on the path");
    Path rules = Files.writeString(directory.resolve("rules.yml"), PrometheusRules.yaml());
    ChildProcess.run("promtool", "check", "rules", rules.toString());
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> rules() {
    Map<String, List<Map<String, List<Map<String, Object>>>>> file =
        new Yaml().load(PrometheusRules.yaml());
    return file.get("groups").getFirst().get("rules");
  }

  private static Set<String> metrics(String expression) {
    return METRIC
        .matcher(expression)
        .results()
        .map(it -> it.group())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The names of docs/admin.md, which a test of the process compares with a scrape. */
  private static Set<String> known() throws Exception {
    return metrics(Files.readString(Path.of("../docs/admin.md")));
  }
}
