/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Keyboard;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.forebay.app.ForebayProcess;
import io.forebay.testing.Ports;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** What an operator does on a real process. */
@Tag("proof")
@NeedsChromium
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OperatorIT {

  private static final int PORT = Ports.free();

  @TempDir static Path data;
  private static Chromium chromium;
  private static ForebayProcess forebay;
  private static Admin admin;

  @BeforeAll
  static void start() throws Exception {
    forebay = restarted();
    chromium = Chromium.launch();
    admin = Admin.of(chromium, forebay);
  }

  private static ForebayProcess restarted() throws Exception {
    return Admin.demo(data, "--server.port=" + PORT, "--forebay.watch.limits.stock=45s");
  }

  @AfterAll
  static void stop() throws Exception {
    chromium.close();
    forebay.close();
  }

  private static LocatorAssertions within(Locator locator, int seconds) {
    PlaywrightAssertions.setDefaultAssertionTimeout(seconds * 1000.0);
    return PlaywrightAssertions.assertThat(locator);
  }

  /**
   * Uses only the keyboard: goes to the button of a row, answers the dialog, enters the reason, and
   * returns. First: a service that is behind has no such button.
   */
  @Test
  @Order(1)
  void pausesAndResumesWithTheKeyboardOnly() {
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      admin.open(page, "/");
      Keyboard keys = page.keyboard();
      Locator mail = page.locator("[data-service=mail]").first();
      Locator button = mail.locator(".c-act button");
      keys.press("Tab");
      for (int i = 0; i < 100 && !isFocused(button); i++) {
        keys.press("Tab");
      }
      keys.press("Enter");
      Locator dialog = page.locator("dialog[open]");
      within(dialog, 10).containsText("Pause mail?");
      within(dialog.locator("#reason:focus"), 5).isVisible();
      keys.type("the mail server is moved");
      keys.press("Enter");
      within(mail, 20)
          .containsText(Pattern.compile("Paused.*the mail server is moved", Pattern.DOTALL));
      within(button, 5).isFocused();
      keys.press("Enter");
      within(dialog, 10).containsText("Resume mail?");
      within(dialog.locator("#reason:focus"), 5).isVisible();
      keys.press("Enter");
      within(mail, 20).not().containsText("Paused");
    }
  }

  private static boolean isFocused(Locator locator) {
    return (Boolean) locator.evaluate("it => it === document.activeElement");
  }

  /** Last: for an hour, home says that the process was killed. */
  @Test
  @Order(Integer.MAX_VALUE)
  void thePageTurnsGreyWhenTheServerIsKilledAndRecoversAutomatically() throws Exception {
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      admin.open(page, "/");
      forebay.process().kill();
      Locator banner = page.locator(".banner.bad");
      within(banner, 10).containsText("No connection to the server");
      within(page.locator("html[data-fresh=old]"), 30).isAttached();
      ScreenChecks.picture(page, "no-connection", false);
      assertThat(page.locator("[data-row] [aria-disabled=true]").count()).isPositive();
      forebay = restarted();
      forebay.address();
      within(page.locator("html[data-fresh=live]"), 60).isAttached();
      within(banner, 10).not().isVisible();
      within(page.locator(".unclean"), 30)
          .containsText(
              Pattern.compile(
                  "Stopped uncleanly at .* UTC, started again at .* UTC; nothing that was"
                      + " acknowledged is lost. This instance accepted no calls for about "));
      ScreenChecks.picture(page, "unclean-stop", false);
    }
  }

  /**
   * The database of the stock performs about 160 statements a second, and the burst is ten times
   * the usual load, so about half of it waits. The page predicts when the limit is exceeded after a
   * minute of growth. The wait of the oldest message grows until that message is the last of the
   * burst; then the backlog drains.
   */
  @Test
  @EnabledIfSystemProperty(named = "forebay.ui.long", matches = "true")
  void aBurstOnASlowDatabaseIsShownGrowingThenLateThenDraining() {
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      admin.open(page, "/");
      page.evaluate(
          """
          () => fetch('/admin/api/v1/demo/burst', {method: 'POST', body: '{"seconds": 75}', headers: {
            'Content-Type': 'application/json',
            'X-XSRF-TOKEN': document.cookie.match(/forebay-xsrf=([^;]*)/)[1]}})
          """);
      Locator stock = page.locator("[data-service=stock]").first();
      within(stock, 40).containsText("Behind, growing");
      Locator alerts = page.locator(".verdict ul");
      within(alerts, 100)
          .containsText(
              Pattern.compile(
                  "stock (is .* Passes its 45 s limit in about|passes its 45 s limit first, in) \\d+ s\\."));
      ScreenChecks.picture(page, "burst-growing", true);
      within(alerts, 100).containsText(Pattern.compile("stock is .*past its 45 s limit"));
      ScreenChecks.picture(page, "burst-late", false);
      within(stock, 200).containsText("Catching up");
      ScreenChecks.picture(page, "burst-draining", false);
    }
  }
}
