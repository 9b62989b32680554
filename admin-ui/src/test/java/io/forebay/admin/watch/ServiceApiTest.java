/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The history, the latencies and the burst plan of a service, over HTTP. */
class ServiceApiTest extends WatchServer {

  @Test
  void seriesLatenciesAndPlansAreReadFromWhatIsKept() {
    await().until(() -> snapshot().get("seq").asLong() > 2); // for a rate
    greet(2_000);
    await().until(() -> highest(document("services/greeting/series?from=-10m"), "performed") > 0);
    JsonNode series = document("services/greeting/series?from=-1h&points=100");
    assertThat(series.get("series").propertyNames())
        .containsExactly("behind", "unperformed", "accepted", "performed", "busy");
    assertThat(series.get("step").asLong()).isGreaterThanOrEqualTo(36);
    assertThat(series.get("series").get("behind").size()).isBetween(1, 100);
    await().until(() -> performed(document("services/greeting/latency?from=-10m")) == 2_000);
    JsonNode burst = document("services/greeting/burst?rate=12400");
    assertThat(burst.get("rate").get("v").asInt()).isEqualTo(12_400);
    assertThat(burst.at("/length").asInt()).as("the usual length").isEqualTo(300);
    JsonNode minute = document("services/greeting/burst?rate=12400&seconds=60");
    assertThat(minute.get("length").asInt()).isEqualTo(60);
    assertThat(minute.get("course").has("late")).isTrue();
    assertThat(document("services/greeting").get("partitions").size()).isEqualTo(1);
    String since = snapshot().get("recordedSince").asString();
    assertThat(performed(document("services/greeting/latency?from=" + since)))
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
    HttpResponse<String> response = send(path, "VIEWER");
    assertThat(response.statusCode()).as(path + ": " + response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type"))
        .as(path)
        .hasValue("application/problem+json");
  }
}
