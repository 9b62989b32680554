/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.Article.Comparison;
import io.forebay.bench.Article.Row;
import io.forebay.bench.Results.Value;
import java.util.List;

/** The article on a service behind a durable queue. */
final class BurstArticle {

  private BurstArticle() {}

  static Article article() {
    return new Article(
        "A deep dive into a low latency microservice",
        "Peter Lawrey, Vanilla Java",
        List.of("burst", "backlog"),
        List.of(burst(), backlog()));
  }

  private static Comparison burst() {
    String[] ours = {"seed-design-hsqldb", "forebay-hsqldb", "forebay-postgresql"};
    return new Comparison(
        "Bursts of updates",
        List.of(
            "medians",
            "the article, HSQLDB",
            "its design here, HSQLDB",
            "Forebay, HSQLDB",
            "Forebay, PostgreSQL"),
        List.of(
            Row.of("µs to write an update", "1.5", it -> burst(it, Figure.WRITE).as("%.2f"), ours),
            Row.of(
                "µs to perform an update",
                "29.7",
                it -> burst(it, Figure.PERFORM).as("%.2f"),
                ours),
            Row.of(
                "updates written per second in a burst",
                "660,000",
                it -> burst(it, Figure.BURST_PER_SECOND).as("%,.0f"),
                ours),
            Row.of(
                "updates performed per second",
                "33,000",
                it -> burst(it, Figure.PERFORM_PER_SECOND).as("%,.0f"),
                ours),
            Row.of(
                "written : performed",
                "20",
                it ->
                    burst(it, Figure.BURST_PER_SECOND)
                        .over(burst(it, Figure.PERFORM_PER_SECOND))
                        .as("%.1f"),
                ours),
            Row.of(
                "updates in a burst",
                "200,000",
                _ -> Value.setting("burst", "statements").as("%,.0f"),
                ours)));
  }

  private static Value burst(String contender, String figure) {
    return Value.median("burst", contender, figure);
  }

  private static Comparison backlog() {
    String[] ours = {"forebay-direct", "forebay-async", "bare-append"};
    Value memory = Value.setting("backlog", "machine", "memoryBytes").times(1e-9);
    return new Comparison(
        "How long a burst can be",
        List.of("", "the article", "Forebay, direct", "Forebay, async", "Chronicle Queue alone"),
        List.of(
            Row.of("main memory, GB", "256", _ -> memory.as("%.0f"), ours),
            Row.of(
                "dirty pages at most, GB",
                "25 (10 % of memory)",
                it -> Value.greatest("backlog", it, MemorySample.DIRTY).times(1e-3).as("%.1f"),
                ours),
            Row.of(
                "bytes per message",
                "256",
                _ -> Value.setting("backlog", "messageBytes").as("%.0f"),
                ours),
            Row.of(
                "messages waiting, millions",
                "more than 1,000",
                _ -> Value.setting("backlog", "messages").times(1e-6).as("%,.1f"),
                ours),
            Row.of(
                "size of the backlog, GB",
                "larger than main memory",
                _ -> Value.setting("backlog", "gigabytes").as("%.1f"),
                ours),
            Row.of(
                "accepted per second, first tenth",
                "–",
                it -> backlog(it, BacklogRun.ACCEPTED_FIRST).as("%,.0f"),
                ours),
            Row.of(
                "accepted per second, last tenth",
                "–",
                it -> backlog(it, BacklogRun.ACCEPTED_LAST).as("%,.0f"),
                ours),
            Row.of(
                "drained per second", "–", it -> backlog(it, BacklogRun.DRAINED).as("%,.0f"), ours),
            Row.of(
                "memory of the process without files at most, MB",
                "–",
                it -> Value.greatest("backlog", it, MemorySample.OWN).as("%,.0f"),
                ours)));
  }

  private static Value backlog(String contender, String figure) {
    return Value.median("backlog", contender, figure);
  }
}
