/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;
import io.forebay.app.ForebayProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Twenty services, one frame a second. */
@Tag("proof")
@NeedsChromium
@EnabledIfSystemProperty(named = "forebay.ui.long", matches = "true")
class ManyServicesIT {

  /** So long that garbage collections of the page are part of it. */
  private static final int SECONDS = 60;

  private static final double MOST_MILLIS_PER_SECOND = 20;

  /** The number of the snapshot that the page shows. */
  private static final String SEQUENCE =
      """
      async () => {
        const main = document.querySelector('script[type=module]').src;
        return (await import(new URL('store.js', main))).frame.value.seq;
      }
      """;

  @TempDir Path data;

  @Test
  void takeLittleOfTheMainThread() throws Exception {
    try (ForebayProcess forebay = ForebayProcess.start(ManyServices.class, data);
        Chromium chromium = Chromium.launch()) {
      Admin admin = Admin.of(chromium, forebay);
      try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
        Page page = profile.newPage();
        admin.open(page, "/");
        assertThat(page.locator("[data-row]").count()).isGreaterThanOrEqualTo(ManyServices.COUNT);
        CDPSession devTools = profile.newCDPSession(page);
        devTools.send("Performance.enable", threadTime());
        page.waitForTimeout(5_000); // the work done once after loading
        Object shown = page.evaluate(SEQUENCE);
        double before = taskSeconds(devTools);
        page.waitForTimeout(SECONDS * 1000.0);
        double millis = (taskSeconds(devTools) - before) * 1000 / SECONDS;
        System.out.printf(
            "%d services at 1 Hz: %.1f ms of the main thread per second%n",
            ManyServices.COUNT, millis);
        ScreenChecks.picture(page, "many-services", false);
        assertThat(millis).isLessThan(MOST_MILLIS_PER_SECOND);
        assertThat(page.evaluate(SEQUENCE)).as("a later snapshot").isNotEqualTo(shown);
      }
    }
  }

  /** The CPU time of the thread, so that other load on the machine makes no difference. */
  private static JsonObject threadTime() {
    JsonObject parameters = new JsonObject();
    parameters.addProperty("timeDomain", "threadTicks");
    return parameters;
  }

  private static double taskSeconds(CDPSession devTools) {
    JsonObject answer = devTools.send("Performance.getMetrics");
    for (JsonElement metric : answer.getAsJsonArray("metrics")) {
      if (metric.getAsJsonObject().get("name").getAsString().equals("TaskDuration")) {
        return metric.getAsJsonObject().get("value").getAsDouble();
      }
    }
    throw new AssertionError("Chromium tells no TaskDuration: " + answer);
  }
}
