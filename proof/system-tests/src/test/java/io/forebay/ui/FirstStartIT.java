/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.forebay.app.ForebayProcess;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An operator starts the service with nothing configured, and logs in. */
@Tag("proof")
@NeedsChromium
class FirstStartIT {

  @TempDir Path directory;

  @Test
  void thePageLeadsToTheFirstCredentialsAndShowsTheExample() throws Exception {
    PlaywrightAssertions.setDefaultAssertionTimeout(30_000);
    try (ForebayProcess forebay = ForebayProcess.start(directory.resolve("data"));
        Chromium chromium = Chromium.launch()) {
      String address = "http://" + forebay.address();
      try (BrowserContext stranger = chromium.profile(Look.USUAL.options())) {
        Page page = stranger.newPage();
        page.navigate(address + "/");
        page.waitForURL(address + "/admin/");
        PlaywrightAssertions.assertThat(page.locator(".card")).containsText("admin-credentials");
      }
      Admin admin = Admin.of(chromium, forebay);
      try (BrowserContext profile = admin.profile(Look.PHONE.options())) {
        Page page = profile.newPage();
        Complaints complaints = Complaints.of(page);
        admin.open(page, "/");
        PlaywrightAssertions.assertThat(page.locator("table.services tbody tr")).hasCount(1);
        check(page, complaints, "first-start-" + Look.PHONE);
        ScreenChecks.resize(page, Look.USUAL);
        check(page, complaints, "first-start-" + Look.USUAL);
      }
    }
  }

  private static void check(Page page, Complaints complaints, String name) {
    ScreenChecks.picture(page, name, false);
    assertThat(List.of(ScreenChecks.violations(page), ScreenChecks.misfits(page), complaints.all()))
        .as(name)
        .allMatch(List::isEmpty);
    assertThat(ScreenChecks.sidewaysScroll(page)).as(name).isZero();
  }
}
