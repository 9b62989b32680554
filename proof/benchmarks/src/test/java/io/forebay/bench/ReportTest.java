/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

  @TempDir private Path folder;

  @Tag("proof")
  @Test
  void runsBenchmarksInProcessesOfTheirOwnAndGoesOnAfterAFailure() throws Exception {
    Files.writeString(folder.resolve("burst.json"), "{\"old\": true}");
    ReportEntry calls = ReportEntry.named("calls");
    ReportEntry failing =
        new ReportEntry("burst", "fails", List.of("burst", "--frob"), List.of(), 1, 1, null);

    assertThat(Report.run(folder, List.of(failing, calls), true)).isFalse();

    assertThat(folder.toFile().list())
        .containsExactlyInAnyOrder(
            "burst.log", "calls.json", "calls.svg", "calls.log", "report.html");
    assertThat(Files.readString(folder.resolve("calls.json")))
        .containsSubsequence(
            "\"collector\"", "\"by-hand\"", "\"memory\"", "\"chronicle\"", "\"median\": ");
    assertThat(page())
        .contains("Failed: burst.", "unknown option '--frob'")
        .contains("Short form, a trial and not a measurement: calls.")
        .containsSubsequence("calls: a call in chunks", "<svg ", "</svg>", ">collector</th>");
  }

  @Test
  void showsTheFiguresOfThePublicationsBesideOurs() throws Exception {
    write("burst", Map.of("statements", 200_000), burst());

    render();

    assertThat(row("µs to write an update")).containsExactly("1.5", "0.60", "0.30", "0.30");
    assertThat(row("written : performed")).containsExactly("20", "10.0", "10.0", "10.0");
    assertThat(row("updates in a burst"))
        .containsExactly("200,000", "200,000", "200,000", "200,000");
    assertThat(row("requests per second"))
        .containsExactly("2,097", "15,129", "not measured", "not measured", "not measured");
  }

  @Test
  void showsEveryTargetWithItsVerdict() throws Exception {
    write("burst", Map.of("statements", 200_000), burst());

    render();

    assertThat(page())
        .containsSubsequence(
            ">write, forebay : seed's method writer<",
            ">0.50<",
            ">≤ 0.70<",
            "<td class=\"pass\">PASS</td>");
  }

  /** Names of contenders, figures and settings that do not exist would be found here. */
  @Test
  void findsEveryFigureOfTheBenchmarksThatThePublicationsAreComparedWith() throws Exception {
    writeAll();

    render();

    String page = page();
    String articles =
        page.substring(
            page.indexOf("<section id=\"of-burst\">"),
            page.indexOf("<section id=\"of-pipeline\">"));
    assertThat(articles).doesNotContain(Results.NOT_MEASURED);
  }

  @Test
  void needsNothingBesideThePage() throws Exception {
    writeAll();
    Files.writeString(folder.resolve("tail.svg"), Chart.svg("a", List.of()));

    render();

    assertThat(page()).doesNotContain("<script", " src=", "<link", "url(", "@import");
    assertThat(page().replace("xmlns=\"http://www.w3.org/2000/svg\"", "")).doesNotContain("://");
  }

  @Test
  void rendersAFolderWithoutResults() throws Exception {
    render();

    assertThat(page()).contains("Optimizing requests with a queue", "Not measured.");
  }

  @Test
  void escapesText() throws Exception {
    Rounds rounds = new Rounds();
    rounds.add("nanosPerCall", 7);
    write("calls", Map.of("note", "<b>&\"</b>"), Map.of("<script>", rounds));

    render();

    assertThat(page())
        .contains("&lt;script&gt;", "&lt;b&gt;&amp;&quot;&lt;/b&gt;")
        .doesNotContain("<script>", "<b>");
  }

  private void render() {
    assertThat(Main.run(List.of("report", "--render", "--out", folder.toString()))).isZero();
  }

  private String page() throws Exception {
    return Files.readString(folder.resolve("report.html"));
  }

  /** The cells of the first row with this heading. */
  private List<String> row(String heading) throws Exception {
    String page = page();
    int start = page.indexOf("<th scope=\"row\">" + heading + "</th>");
    assertThat(start).as(heading).isNotNegative();
    String row = page.substring(start, page.indexOf("</tr>", start));
    return Stream.of(row.split("<td"))
        .skip(1)
        .map(it -> it.substring(it.indexOf('>') + 1, it.indexOf("</td>")))
        .toList();
  }

  private static Map<String, Rounds> burst() {
    Map<String, Rounds> rounds = new LinkedHashMap<>();
    for (Contender.Entry contender : Contenders.ALL) {
      double micros = contender.name().startsWith("seed") ? 0.6 : 0.3;
      Rounds of = new Rounds();
      of.add(Figure.WRITE, micros);
      of.add(Figure.PERFORM, 10 * micros);
      of.add(Figure.BURST_PER_SECOND, 1e6 / micros);
      of.add(Figure.PERFORM_PER_SECOND, 1e5 / micros);
      rounds.put(contender.name(), of);
    }
    return rounds;
  }

  private void writeAll() throws Exception {
    write("burst", Map.of("statements", 200_000), burst());
    write(
        "backlog",
        Map.of("messages", 1e8, "messageBytes", 256, "gigabytes", 25.6),
        all(
            BacklogContender.usual().stream().map(BacklogContender::title).toList(),
            List.of(
                BacklogRun.ACCEPTED_FIRST,
                BacklogRun.ACCEPTED_LAST,
                BacklogRun.DRAINED,
                MemorySample.DIRTY,
                MemorySample.OWN)));
    List<String> tails = new ArrayList<>();
    for (TailContender contender : TailContender.values()) {
      tails.add(contender.title() + "-50000");
      tails.add(contender.title() + "-250000");
    }
    Map<String, Object> length = Map.of("rounds", 8, "seconds", 20);
    List<String> percentiles = List.copyOf(TailRun.PERCENTILES.keySet());
    write("tail", length, all(tails, percentiles));
    write("tail-stall", length, all(tails, percentiles));
    write(
        "letters",
        Map.of("contracts", 100_000),
        all(
            Arrays.stream(LettersContender.values()).map(LettersContender::title).toList(),
            List.of(LettersBenchmark.SECONDS)));
    write(
        "ingest",
        Map.of(),
        all(
            Arrays.stream(IngestContender.values()).map(IngestContender::title).toList(),
            List.of(
                IngestFigure.PER_SECOND,
                IngestFigure.MEAN,
                IngestFigure.STDEV,
                IngestFigure.P99,
                IngestFigure.MAX,
                IngestFigure.REQUESTS,
                IngestFigure.REFUSED,
                IngestFigure.ROWS,
                IngestFigure.DRAIN)));
  }

  private static Map<String, Rounds> all(List<String> contenders, List<String> figures) {
    Map<String, Rounds> all = new LinkedHashMap<>();
    for (String contender : contenders) {
      Rounds of = new Rounds();
      figures.forEach(it -> of.add(it, 5));
      all.put(contender, of);
    }
    return all;
  }

  private void write(String benchmark, Map<String, Object> settings, Map<String, Rounds> rounds)
      throws Exception {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("contenders", Rounds.json(rounds));
    json.put(
        "targets",
        benchmark.equals("burst")
            ? Targets.ofBursts(false, 0).stream().map(it -> it.json(rounds)).toList()
            : List.of());
    json.put("machine", Map.of("cores", 2, "memoryBytes", 24e9));
    json.put("short", false);
    json.putAll(settings);
    Files.writeString(ResultFiles.json(folder, benchmark), Json.write(json));
  }
}
