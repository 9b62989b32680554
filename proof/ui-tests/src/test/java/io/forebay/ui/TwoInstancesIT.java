/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import io.forebay.app.ForebayProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two processes with their own queues and gateways that share the system database. */
@NeedsChromium
class TwoInstancesIT {

  private static final LocatorAssertions.ContainsTextOptions SOON =
      new LocatorAssertions.ContainsTextOptions().setTimeout(30_000);
  private static final LocatorAssertions.HasCountOptions GONE =
      new LocatorAssertions.HasCountOptions().setTimeout(20_000);

  @TempDir Path directory;

  /** Users are shared too: a password changed at one process is valid at the other. */
  @Test
  void eachPageShowsBoth() throws Exception {
    try (EmbeddedPostgres server =
            EmbeddedPostgres.builder()
                .setServerConfig("fsync", "on")
                .setPGStartupWait(Duration.ofSeconds(120))
                .start();
        Chromium chromium = Chromium.launch();
        ForebayProcess first = started("first", server)) {
      Admin here = Admin.of(chromium, first);
      try (ForebayProcess second = started("second", server)) {
        Admin there = Admin.again(chromium, second);
        showsBoth(here, Look.USUAL, first, second);
        showsBoth(there, Look.NARROW, second, first);
      }
      try (BrowserContext profile = here.profile(Look.USUAL.options())) {
        Page page = profile.newPage();
        here.open(page, "/");
        assertThat(page.locator(".instances")).hasCount(0, GONE);
      }
    }
  }

  private ForebayProcess started(String name, EmbeddedPostgres server) throws Exception {
    return ForebayProcess.start(
        directory.resolve(name),
        "--forebay.system.datasource.url=" + server.getJdbcUrl("postgres", "postgres"),
        "--forebay.system.datasource.username=postgres",
        "--forebay.system.datasource.password=");
  }

  private static void showsBoth(Admin admin, Look look, ForebayProcess self, ForebayProcess other) {
    try (BrowserContext profile = admin.profile(look.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, "/");
      Locator instances = page.locator(".instances");
      assertThat(instances).containsText("2 instances", SOON);
      Locator own = instances.locator("[data-instance^='" + self.process().pid() + "@']");
      assertThat(own).containsText("(this one)");
      assertThat(own).containsText("main");
      assertThat(instances.locator("[data-instance^='" + other.process().pid() + "@']"))
          .containsText("behind");
      ScreenChecks.picture(page, "two-instances-" + look, false);
      assertThat(ScreenChecks.violations(page)).isEmpty();
      assertThat(ScreenChecks.sidewaysScroll(page)).isZero();
      assertThat(complaints.all()).isEmpty();
    }
  }
}
