/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import io.forebay.capacity.sweep.Point;
import io.forebay.capacity.sweep.Verdict;
import io.forebay.text.Formats;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;

/** The report as one HTML page that needs no other file. */
final class ProbePage {

  private final ProbeReport report;
  private final StringBuilder html = new StringBuilder();

  private ProbePage(ProbeReport report) {
    this.report = report;
  }

  static String html(ProbeReport report) {
    return new ProbePage(report).page();
  }

  /** Text for HTML and XML. */
  static String text(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  private String page() {
    add(
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Forebay probe, %s</title>
        <style>
        %s</style>
        </head>
        <body>
        <main>
        <h1>What this installation sustains</h1>
        <p class="muted">Measured by <code>forebay probe</code> on %s, with messages that carry %s bytes.%s</p>
        """,
        report.at(),
        style(),
        report.at().toString().replace('T', ' ').replace("Z", " UTC"),
        Formats.number(report.bytes()),
        report.brief() ? " <b>A short run: its figures are rough.</b>" : "");
    summary();
    report.paths().forEach(this::path);
    machine();
    configuration();
    reading();
    return html.append("</main>\n</body>\n</html>\n").toString();
  }

  private void summary() {
    add("<section class=\"tiles\">");
    for (PathResult result : report.paths()) {
      Verdict verdict = result.verdict();
      add(
          """
          <a class="tile" href="#%s">
          <h2>%s</h2>
          <p class="big">%s</p>
          <p>sustainable, %s a day</p>
          <p class="muted">knee %s%s; disk full in %s</p>
          </a>
          """,
          result.kind(),
          result.kind(),
          verdict.sustainablePerSecond() == 0 ? "none" : Words.rate(verdict.sustainablePerSecond()),
          Words.perDay(result),
          verdict.isLimited() ? "at least " : "",
          verdict.kneePerSecond() == 0 ? "unknown" : Words.rate(verdict.kneePerSecond()),
          Words.untilFull(result));
    }
    add("</section>");
  }

  private void path(PathResult result) {
    Verdict verdict = result.verdict();
    add(
        """
        <section class="panel" id="%s">
        <h2>%s</h2>
        <p>Each message is %s.</p>
        <dl>
        <div><dt>Sustainable</dt><dd>%s</dd></div>
        <div><dt>Knee</dt><dd>%s</dd></div>
        <div><dt>Most completed</dt><dd>%s</dd></div>
        <div><dt>Bytes</dt><dd>%s</dd></div>
        </dl>
        """,
        result.kind(),
        result.kind(),
        text(result.what()),
        Words.sustainable(verdict),
        Words.knee(verdict),
        Words.rate(verdict.highestPerSecond()),
        Words.bytes(result));
    add("<div class=\"scroll\" tabindex=\"0\">");
    html.append(SweepChart.svg("Latency by rate, path " + result.kind(), verdict));
    add("</div>\n<div class=\"scroll\" tabindex=\"0\">");
    table(verdict);
    add("</div>\n</section>");
  }

  private void table(Verdict verdict) {
    add("<table><thead><tr><th scope=\"col\">per second</th>");
    Words.COLUMNS.forEach(it -> add("<th scope=\"col\">%s</th>", it.name()));
    add(
        "<th scope=\"col\">messages</th><th scope=\"col\" class=\"note\"></th></tr></thead><tbody>");
    for (Point point : verdict.points()) {
      boolean sustainable = point.perSecond() == verdict.sustainablePerSecond();
      add(
          "<tr%s><th scope=\"row\">%s</th>",
          sustainable ? " class=\"fine\"" : point.keepsUp() ? "" : " class=\"behind\"",
          Formats.number(point.perSecond()));
      cells(point);
      add(
          "<td>%s</td><td class=\"note\">%s</td></tr>",
          Formats.number(point.messages()), Words.note(verdict, point));
    }
    add("</tbody></table>");
  }

  private void cells(Point point) {
    Words.COLUMNS.forEach(it -> add("<td>%s</td>", it.text(point)));
  }

  private void machine() {
    add(
        """
        <section class="panel">
        <h2>Machine</h2>
        <dl>
        """);
    report
        .machine()
        .forEach(
            (name, value) -> add("<div><dt>%s</dt><dd>%s</dd></div>", text(name), text(value)));
    add(
        """
        </dl>
        <p>The machine alone: how late an idle thread wakes up, %s.
        No latency can be lower than this.</p>
        <div class="scroll" tabindex="0"><table><thead><tr>
        """,
        Words.rate(report.jitter().perSecond()));
    Words.COLUMNS.forEach(it -> add("<th scope=\"col\">%s</th>", it.name()));
    add("</tr></thead><tbody><tr>");
    cells(report.jitter());
    add("</tr></tbody></table></div>\n</section>");
  }

  private void configuration() {
    add(
        """
        <section class="panel">
        <h2>Configuration</h2>
        <p class="muted">Without addresses, logins and secrets.</p>
        <div class="scroll" tabindex="0"><table class="left"><tbody>
        """);
    report
        .configuration()
        .forEach(it ->
            add(
                "<tr><th scope=\"row\"><code>%s</code></th><td><code>%s</code></td></tr>",
                text(it.key()), text(it.value())));
    add("</tbody></table></div>\n</section>");
  }

  private void reading() {
    add(
        """
        <section class="panel">
        <h2>How to read this</h2>
        <ul>
        <li>A latency begins when a message was due at the fixed rate, not when it could be sent, so that a stall counts for
        every message that was due meanwhile.</li>
        <li><b>Typical</b> is the median at the three lowest rates. A rate is <b>sustainable</b> if the system keeps up, 99 %% of
        the messages take at most 4 times the typical latency, and 99.9 %% at most 10 times.</li>
        <li>The <b>knee</b> is the highest rate at which the system keeps up: messages late in the run do not wait much longer
        than early ones. Above, delays grow as long as the load lasts. A queue absorbs such a burst; it does not sustain it.</li>
        <li>Bytes are those of the queues, without the database. The time until the disk is full assumes that nothing is deleted;
        Forebay deletes what is no longer needed, as configured.</li>
        <li>Rates between the sustainable one and the knee are for bursts.</li>
        </ul>
        </section>
        """);
  }

  private static String style() {
    try (InputStream css =
        Objects.requireNonNull(ProbePage.class.getResourceAsStream("page.css"))) {
      return new String(css.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(String format, Object... values) {
    html.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
