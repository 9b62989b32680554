/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Alerts in the snapshot, at the webhook and in the list of a day. */
class AlertsApiTest extends WatchServer {

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
    JsonNode past = document("alerts").get("alerts");
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

  /** Kind and severity of what was reported to the webhook. */
  private List<String> events() {
    return reported.stream()
        .map(it -> it.get("kind").asString() + " " + it.get("severity").asString())
        .toList();
  }
}
