/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** The page of the report: everything is in it, and it needs no script. */
final class ReportPage {

  private static final Set<String> NOT_SETTINGS =
      Set.of("contenders", "targets", "machine", "short", "slices");

  private final Path folder;
  private final Results results;
  private final Map<String, String> failures;
  private final Html html = new Html();

  /**
   * @param folder where the charts are
   * @param failures the last lines of the benchmarks that failed, by name
   */
  ReportPage(Path folder, Results results, Map<String, String> failures) {
    this.folder = folder;
    this.results = results;
    this.failures = failures;
  }

  String html() {
    html.raw("<!doctype html>");
    html.raw("<html lang=\"en\"><head><meta charset=\"utf-8\">");
    html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    html.raw("<meta name=\"color-scheme\" content=\"light dark\">");
    html.raw("<title>Forebay, measured side by side</title>");
    html.raw("<style>" + css() + "</style></head><body>");
    html.raw("<header>");
    html.element("h1", "Forebay, measured side by side");
    head();
    contents();
    html.raw("</header><main>");
    targets();
    Article.all().forEach(this::article);
    others();
    machine();
    return html.raw("</main></body></html>").toString();
  }

  private void head() {
    Map<String, Long> verdicts =
        results.all().values().stream()
            .flatMap(it -> it.path("targets").valueStream())
            .collect(
                Collectors.groupingBy(it -> it.path("verdict").asString(), Collectors.counting()));
    html.element(
        "p",
        "%d targets are reached, %d are missed."
            .formatted(verdicts.getOrDefault("PASS", 0L), verdicts.getOrDefault("MISS", 0L)));
    html.element(
        "p",
        "All contenders of a benchmark ran on the same machine in turn. Times depend on the machine;"
            + " compare ratios.");
    List<String> brief =
        results.all().entrySet().stream()
            .filter(it -> it.getValue().path("short").asBoolean())
            .map(Map.Entry::getKey)
            .toList();
    if (!brief.isEmpty()) {
      html.element(
          "p",
          "note",
          "Short form, a trial and not a measurement: " + String.join(", ", brief) + ".");
    }
    if (!failures.isEmpty()) {
      html.element("p", "failed", "Failed: " + String.join(", ", failures.keySet()) + ".");
    }
  }

  private void contents() {
    html.raw("<nav aria-label=\"Contents\"><ul>");
    link("targets", "Targets");
    Article.all().forEach(it -> link(id(it), it.title()));
    link("others", "Other benchmarks");
    link("machine", "Machine and runs");
    html.raw("</ul></nav>");
  }

  private void link(String id, String text) {
    html.raw("<li><a href=\"#%s\">%s</a></li>".formatted(id, Chart.escaped(text)));
  }

  private static String id(Article article) {
    return "of-" + article.benchmarks().getFirst();
  }

  private void section(String id, String title) {
    html.raw("<section id=\"" + id + "\">");
    html.element("h2", title);
  }

  private void targets() {
    section("targets", "Targets");
    List<List<String>> rows = new ArrayList<>();
    for (ReportEntry entry : ReportEntry.ALL) {
      JsonNode file = results.of(entry.name()).orElse(null);
      if (file != null && file.path("targets").isEmpty()) {
        continue;
      }
      String state =
          failures.containsKey(entry.name())
              ? ": failed"
              : file == null ? ": " + Results.NOT_MEASURED : "";
      rows.add(List.of(entry.name() + state));
      if (file != null) {
        file.path("targets").forEach(it -> rows.add(target(it)));
      }
    }
    html.table(
        "Figures without a verdict have no target.",
        List.of("", "value", "to reach", "verdict"),
        rows);
    html.raw("</section>");
  }

  private static List<String> target(JsonNode target) {
    return List.of(
        target.path("what").asString(),
        target.has("value") ? FigureTable.plain(target.path("value").asDouble()) : "–",
        target.path("toReach").asString().replace("<=", "≤").replace(">=", "≥"),
        target.path("verdict").asString());
  }

  private void article(Article article) {
    section(id(article), article.title());
    html.element("p", "source", "Source: " + article.source() + ".");
    for (Article.Comparison table : article.tables()) {
      html.table(
          table.caption(),
          table.columns(),
          table.rows().stream()
              .map(row -> {
                List<String> cells = new ArrayList<>(List.of(row.what()));
                row.cells().forEach(it -> cells.add(it.text(results)));
                return cells;
              })
              .toList());
    }
    article.benchmarks().forEach(it -> benchmark(ReportEntry.named(it)));
    html.raw("</section>");
  }

  private void others() {
    section("others", "Other benchmarks");
    Set<String> shown =
        Article.all().stream().flatMap(it -> it.benchmarks().stream()).collect(Collectors.toSet());
    ReportEntry.ALL.stream().filter(it -> !shown.contains(it.name())).forEach(this::benchmark);
    html.raw("</section>");
  }

  private void benchmark(ReportEntry entry) {
    html.element("h3", entry.name() + ": " + entry.what());
    if (failures.containsKey(entry.name())) {
      html.element("p", "failed", "This benchmark failed. The end of its output:");
      html.element("pre", failures.get(entry.name()));
    }
    JsonNode file = results.of(entry.name()).orElse(null);
    if (file == null) {
      html.element("p", "none", "Not measured.");
      return;
    }
    Path chart = ResultFiles.chart(folder, entry.name());
    if (Files.exists(chart)) {
      html.raw("<figure tabindex=\"0\">" + read(chart) + "</figure>");
    }
    FigureTable table = entry.table() == null ? allFigures(file) : entry.table();
    List<List<String>> rows = new ArrayList<>();
    for (JsonNode it : file.path("contenders")) {
      rows.add(table.row(it.path("name").asString(), figure -> Results.summary(it, figure)));
    }
    html.table("Figures of " + entry.name(), table.headings(), rows);
    html.element("p", "settings", run(file) + settings(file));
  }

  /** The columns of a benchmark that has not said which ones to show. */
  private static FigureTable allFigures(JsonNode file) {
    FigureTable table = FigureTable.of("median");
    Map<String, JsonNode> figures = new LinkedHashMap<>();
    for (JsonNode contender : file.path("contenders")) {
      contender.propertyStream().forEach(it -> figures.putIfAbsent(it.getKey(), it.getValue()));
    }
    for (Map.Entry<String, JsonNode> it : figures.entrySet()) {
      if (it.getValue().has("median")) {
        table = table.one(it.getKey(), it.getKey(), "%,.2f");
      }
    }
    return table;
  }

  private static String run(JsonNode file) {
    return "%s form, measured %s. "
        .formatted(file.path("short").asBoolean() ? "Short" : "Long", measured(file));
  }

  private static String measured(JsonNode file) {
    return file.path("machine")
        .path("measured")
        .asString("at an unknown time")
        .replace('T', ' ')
        .replace(":00Z", " UTC");
  }

  private static String settings(JsonNode file) {
    return file.propertyStream()
        .filter(it -> it.getValue().isValueNode() && !NOT_SETTINGS.contains(it.getKey()))
        .map(it -> it.getKey() + " " + it.getValue().asString())
        .collect(Collectors.joining(", "));
  }

  private void machine() {
    section("machine", "Machine and runs");
    Set<String> names =
        results.all().values().stream()
            .flatMap(it -> it.path("machine").propertyStream())
            .filter(it -> it.getValue().isValueNode())
            .map(Map.Entry::getKey)
            .collect(Collectors.toCollection(java.util.LinkedHashSet::new));
    List<String> headings = new ArrayList<>(List.of("benchmark", "form"));
    headings.addAll(names);
    List<List<String>> rows = new ArrayList<>();
    results
        .all()
        .forEach((name, file) -> {
          List<String> row = new ArrayList<>(List.of(name));
          row.add(file.path("short").asBoolean() ? "short" : "long");
          names.forEach(it -> row.add(file.path("machine").path(it).asString("–")));
          rows.add(row);
        });
    html.table("The machine of each run", headings, rows);
    html.raw("</section>");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String css() {
    try (InputStream css =
        Objects.requireNonNull(ReportPage.class.getResourceAsStream("report.css"))) {
      return new String(css.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
