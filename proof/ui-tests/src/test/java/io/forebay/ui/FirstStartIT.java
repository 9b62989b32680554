/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.forebay.app.ForebayProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An operator starts the service with nothing configured, and follows the page. */
@NeedsChromium
class FirstStartIT {

  @TempDir Path directory;

  @Test
  void thePageLeadsFromTheFirstStartToTheFirstStatement() throws Exception {
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
        Locator marks = page.locator(".first-steps summary small");
        PlaywrightAssertions.assertThat(marks).hasText(new String[] {"done", "to do", "to do"});
        check(page, complaints, "first-steps-" + Look.PHONE);

        assertThat(shell(page.locator(".first-steps pre").last().innerText()))
            .contains("\"state\":\"done\"");

        PlaywrightAssertions.assertThat(marks).hasText(new String[] {"done", "to do", "done"});
        PlaywrightAssertions.assertThat(page.locator(".first-steps"))
            .containsText("1 message performed so far");
        ScreenChecks.resize(page, Look.USUAL);
        check(page, complaints, "first-steps-" + Look.USUAL);

        admin.open(page, "/setup");
        Locator problems = page.getByLabel("To change").locator("tbody tr");
        PlaywrightAssertions.assertThat(problems.filter(having("first credentials")))
            .containsText("Delete the file when you have read it.");
        PlaywrightAssertions.assertThat(problems.filter(having("notes.add")))
            .containsText("Define your statements in " + directory);
        PlaywrightAssertions.assertThat(problems.last()).containsText("Unfinished");
        check(page, complaints, "setup-first-" + Look.USUAL);
        ScreenChecks.resize(page, Look.PHONE);
        check(page, complaints, "setup-first-" + Look.PHONE);
      }
    }
  }

  private static Locator.FilterOptions having(String text) {
    return new Locator.FilterOptions().setHasText(text);
  }

  private static String shell(String command) throws IOException, InterruptedException {
    Process shell = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
    String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(shell.waitFor()).as(output).isZero();
    return output;
  }

  private static void check(Page page, Complaints complaints, String name) {
    ScreenChecks.picture(page, name, false);
    assertThat(List.of(ScreenChecks.violations(page), ScreenChecks.misfits(page), complaints.all()))
        .as(name)
        .allMatch(List::isEmpty);
    assertThat(ScreenChecks.sidewaysScroll(page)).as(name).isZero();
  }
}
