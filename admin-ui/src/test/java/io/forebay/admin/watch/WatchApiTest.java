/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.background.BackgroundTask;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The documents of the figures, over HTTP. */
class WatchApiTest extends WatchServer {

  @Test
  void theSnapshotShowsTheServiceAndWhyFiguresAreUnknown() {
    JsonNode snapshot = snapshot();
    assertThat(snapshot.get("instance").asString()).isEqualTo("test");
    assertThat(snapshot.get("verdict").get("severity").asString()).isEqualTo("fine");
    JsonNode one = snapshot.get("services").get(0);
    assertThat(one.get("name").asString()).isEqualTo("greeting");
    assertThat(one.get("state").asString()).isEqualTo("keeping_up");
    assertThat(one.get("limit").asInt()).isEqualTo(1);
    assertThat(one.get("behind").get("v").asInt()).isZero();
    assertThat(one.get("can").get("v")).isNull();
    assertThat(one.get("can").get("why").asString()).isNotEmpty();
    assertThat(snapshot.get("instances").get(0).get("self").asBoolean()).isTrue();
    assertThat(snapshot.get("tiles").get("disk").isNull()).isTrue();
  }

  /** What Prometheus scrapes in a second is what the page shows in that second. */
  @Test
  void metricsShowTheFiguresOfTheSnapshot() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    context.getBeansOfType(MeterBinder.class).values().forEach(it -> it.bindTo(registry));
    snapshot();
    service.pause("for the test");
    greet(3);
    await().until(() -> service(snapshot()).get("behind").path("v").asDouble() > 1);
    context.getBean("forebaySamplingLoop", BackgroundTask.class).close();
    JsonNode shown = service(snapshot());
    assertThat(gauge(registry, "service.behind.seconds")).isEqualTo(figure(shown, "behind"));
    assertThat(gauge(registry, "service.behind.seconds")).isGreaterThan(1);
    assertThat(gauge(registry, "watch.limit.seconds")).isEqualTo(shown.get("limit").asDouble());
    assertThat(gauge(registry, "watch.busy.share")).isEqualTo(figure(shown, "busy"));
    assertThat(gauge(registry, "watch.database.rate")).isEqualTo(figure(shown, "can"));
  }

  @Test
  void aPausedServicePastItsLimitIsAnAlertThatIsReportedAndListedForADay() {
    await().until(() -> snapshot().get("verdict").get("severity").asString().equals("fine"));
    service.pause("for the test");
    greet(3);
    await().until(() -> snapshot().get("verdict").get("severity").asString().equals("bad"));
    JsonNode verdict = snapshot().get("verdict");
    JsonNode problem = verdict.get("problems").get(0);
    assertThat(problem.get("kind").asString()).isEqualTo("paused");
    assertThat(problem.propertyNames())
        .containsExactly(
            "id",
            "severity",
            "kind",
            "service",
            "volume",
            "job",
            "execution",
            "since",
            "figure",
            "figures");
    assertThat(problem.get("figures").propertyNames())
        .containsExactly(
            "state",
            "reason",
            "accepts",
            "limit",
            "trend",
            "behind",
            "unperformed",
            "growth",
            "clear",
            "late",
            "accepted",
            "performed",
            "pause");
    assertThat(snapshot().get("services").get(0).get("severity").asString()).isEqualTo("bad");
    await().until(() -> events(), it -> it.contains("paused bad"));
    service.resume();
    await().until(() -> snapshot().get("verdict").get("severity").asString().equals("fine"));
    await().until(() -> events(), it -> it.contains("paused fine"));
    assertThat(events())
        .filteredOn(it -> it.startsWith("paused"))
        .endsWith("paused bad", "paused fine")
        .doesNotHaveDuplicates();
    JsonNode past = get("alerts").get("alerts");
    assertThat(past)
        .filteredOn(it -> it.get("kind").asString().equals("paused"))
        .singleElement()
        .satisfies(it -> {
          assertThat(it.get("severity").asString()).isEqualTo("bad");
          assertThat(it.get("closed").asString()).isGreaterThan(it.get("opened").asString());
          assertThat(it.get("peak").asDouble()).isGreaterThan(1);
          assertThat(it.get("figures").has("pause")).isTrue();
        });
  }

  @Test
  void seriesLatenciesAndPlansAreReadFromWhatIsKept() {
    await().until(() -> snapshot().get("seq").asLong() > 2); // for a rate
    greet(2_000);
    await().until(() -> highest(get("services/greeting/series?from=-10m"), "performed") > 0);
    JsonNode series = get("services/greeting/series?from=-1h&points=100");
    assertThat(series.get("series").propertyNames())
        .containsExactly("behind", "unperformed", "accepted", "performed", "busy");
    assertThat(series.get("step").asLong()).isGreaterThanOrEqualTo(36);
    assertThat(series.get("series").get("behind").size()).isBetween(1, 100);
    await().until(() -> performed(get("services/greeting/latency?from=-10m")) == 2_000);
    JsonNode burst = get("services/greeting/burst?rate=12400");
    assertThat(burst.get("rate").get("v").asInt()).isEqualTo(12_400);
    assertThat(burst.at("/length").asInt()).as("the usual length").isEqualTo(300);
    JsonNode minute = get("services/greeting/burst?rate=12400&seconds=60");
    assertThat(minute.get("length").asInt()).isEqualTo(60);
    assertThat(minute.get("course").has("late")).isTrue();
    assertThat(get("services/greeting").get("partitions").size()).isEqualTo(1);
    String since = snapshot().get("recordedSince").asString();
    assertThat(performed(get("services/greeting/latency?from=" + since)))
        .as("since the start, which was within a minute")
        .isEqualTo(2_000);
  }

  @Test
  void errorsAreProblemDocuments() {
    isRefused("services/nobody", 404);
    isRefused("services/greeting/series?from=yesterday", 400);
    isRefused("services/greeting/series?points=1", 400);
    isRefused("services/greeting/series?from=2126-01-02T00:00:00Z", 400);
    isRefused("services/greeting/burst?rate=0", 400);
    isRefused("services/greeting/burst?seconds=0", 400);
  }

  private static JsonNode service(JsonNode snapshot) {
    return snapshot.get("services").get(0);
  }

  /** With the six digits that the page gets. */
  private static Double gauge(MeterRegistry registry, String name) {
    return FigureModule.digits(registry.get("forebay." + name).gauge().value());
  }

  private static Double figure(JsonNode service, String name) {
    JsonNode value = service.get(name).get("v");
    return value == null ? Double.NaN : value.asDouble();
  }

  /** Kind and severity of what was reported to the webhook. */
  private List<String> events() {
    return reported.stream()
        .map(it -> it.get("kind").asString() + " " + it.get("severity").asString())
        .toList();
  }

  private static double highest(JsonNode series, String name) {
    double highest = 0;
    for (JsonNode value : series.get("series").get(name)) {
      highest = Math.max(highest, value.isNull() ? 0 : value.asDouble());
    }
    return highest;
  }

  private static long performed(JsonNode latency) {
    return latency.get("stations").get("performed").get("whole").get("n").asLong();
  }

  private void isRefused(String path, int status) {
    HttpResponse<String> response = send(path, "VIEWER", null);
    assertThat(response.statusCode()).as(path + ": " + response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type"))
        .as(path)
        .hasValue("application/problem+json");
  }
}
