/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.admin.host.Settings.Setting;
import io.forebay.app.probe.ProbeRequest.Kind;
import io.forebay.capacity.sweep.Point;
import io.forebay.capacity.sweep.Verdict;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What the page says. */
class ProbePageTest {

  private static Point point(long perSecond, long messages, long micros, boolean keepsUp) {
    long nanos = 1_000 * micros;
    return new Point(
        perSecond,
        keepsUp ? perSecond : 0.9 * perSecond,
        messages,
        nanos,
        2 * nanos,
        3 * nanos,
        8 * nanos,
        20 * nanos,
        30 * nanos,
        keepsUp);
  }

  private static String page(Verdict verdict, OptionalDouble bytes) {
    return ProbePage.html(
        new ProbeReport(
            Instant.parse("2026-11-25T10:15:00Z"),
            false,
            100,
            Map.of("System", "<Linux> & \"more\""),
            List.of(new Setting("forebay.backend", "<kafka>", "default")),
            point(10_000, 1_000, 1, true),
            List.of(
                new PathResult(
                    Kind.GATEWAY, "a <b>", verdict, bytes, bytes, OptionalLong.of(1L << 40)))));
  }

  @Test
  void namesTheSustainableRateWithItsNinesAndBytes() {
    String page =
        page(
            new Verdict(
                100_000,
                45_000,
                40_000,
                20_000,
                List.of(
                    point(1_000, 5_000, 100, true),
                    point(20_000, 100_000, 110, true),
                    point(40_000, 200_000, 900, true),
                    point(50_000, 250_000, 500_000, false))),
            OptionalDouble.of(250));
    assertThat(page)
        .contains(
            "20,000/s: 99 % within 330 µs, 99.9 % within 880 µs, 99.99 % within 2.2 ms, worst 3.3 ms",
            "250 in + 250 out per message; 0.9 TB per day; nothing deleted, the disk is full in 1 d 7 h",
            ">sustainable 20,000/s</text>",
            ">knee 40,000/s</text>",
            "falls behind: 45,000/s",
            "&lt;Linux&gt; &amp; &quot;more&quot;",
            "<code>&lt;kafka&gt;</code>",
            "a &lt;b&gt;")
        .doesNotContain("NaN", "Infinity");
  }

  /** With 500 messages, no one in 1,000 can be told from the worst. */
  @Test
  void showsNoPercentileThatTooFewMessagesGive() {
    Point few = point(100, 500, 100, true);
    String page = page(new Verdict(100_000, 100, 100, 100, List.of(few)), OptionalDouble.empty());
    assertThat(page)
        .contains(
            "100/s: 99 % within 300 µs, worst 3 ms",
            "<td>300 µs</td>\n<td>–</td>\n<td>–</td>\n<td>3 ms</td>",
            "knee at least 100/s",
            "unknown: the backend has not reported them");
  }

  @Test
  void saysWhyNoRateIsSustainable() {
    String behind =
        page(
            new Verdict(0, 90, 0, 0, List.of(point(100, 500, 100, false))), OptionalDouble.of(250));
    assertThat(behind)
        .contains("none: it fell behind at every rate", "<p class=\"big\">none</p>")
        .doesNotContain("class=\"mark", "knee 0", "NaN", "Infinity");
    String unstable =
        page(
            new Verdict(20_000, 100, 100, 0, List.of(point(100, 5_000, 100, true))),
            OptionalDouble.of(250));
    assertThat(unstable)
        .contains(
            "none: even at 100/s, 99 % take 300 µs and 99.9 % 800 µs; the typical latency is 20 µs, of which");
  }
}
