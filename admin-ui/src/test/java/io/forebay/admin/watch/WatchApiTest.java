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
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The figures of the snapshot, over HTTP and as metrics. */
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
    assertThat(snapshot.get("instances").get(0).get("bad").asInt(-1)).isZero();
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
}
