/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.WaitForSelectorState;
import io.forebay.app.ForebayProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks every screen: violations found by axe, horizontal scrolling, and errors in the browser.
 */
@NeedsChromium
class EveryScreenIT {

  /**
   * @param chosen whether the documentation may show it
   */
  private record Screen(String name, String path, boolean chosen) {}

  private static final boolean LONG = Boolean.getBoolean("forebay.ui.long");

  private static final List<Screen> SCREENS =
      List.of(
          new Screen("home", "/", true),
          new Screen("service", "/services/stock", true),
          new Screen("service-pipeline", "/services/tracking", true),
          new Screen("service-failed", "/services/orders?t=failed", false),
          new Screen("jobs", "/jobs", false),
          new Screen("storage", "/storage", true),
          new Screen("failed", "/failed", true),
          new Screen("messages", "/messages", false),
          new Screen("messages-queue", "/messages/orders.in", false),
          new Screen("audit", "/audit", false),
          new Screen("callers", "/callers", false),
          new Screen("settings", "/settings", false));

  private static final String CALLERS =
      """
      {"senders": {"lastMinute": 1250, "more": 2, "most": [
         {"name": "night-import", "lastMinute": 1000}, {"name": "shop", "lastMinute": 200}]},
       "refused": [
         {"name": "orders.archive", "gateway": "orders",
          "reason": "The database refuses it (SQLState 42P01)."}],
       "callers": [
         {"name": "night-import", "lastRefused": "2026-11-26T23:04:05Z", "limits": [
           {"name": "rate", "most": 250, "used": null, "refused": 1204},
           {"name": "burst", "most": 250, "used": 250, "refused": 0}]},
         {"name": "shop", "lastRefused": null, "limits": [
           {"name": "max-requests", "most": 4, "used": 1, "refused": 0}]}],
       "limited": [
         {"caller": "night-import", "perSecond": 500, "reason": "runaway import", "by": "anna",
          "at": "2026-11-26T22:04:05.123456Z", "until": "2026-11-29T04:00:00Z"},
         {"caller": "billing", "perSecond": 20, "reason": "since the release it sends each invoice again and again", "by": "anna",
          "at": "2026-11-28T02:04:05.123456Z", "until": "2026-11-29T03:31:00Z"}],
       "lanes": [
         {"gateway": "orders", "service": "orders", "weight": 3, "callers": []},
         {"gateway": "orders", "service": "orders-bulk", "weight": 1, "callers": ["night-import"]}]}
      """;

  private static final String ALERTS =
      """
      {"alerts": [
         {"id": "behind~orders", "kind": "behind", "severity": "bad", "service": "orders",
          "volume": null, "job": null,
          "opened": "2026-11-26T23:04:05Z", "closed": null, "peak": 1.21,
          "figures": {"state": "growing", "trend": "growing", "reason": "", "accepts": true, "limit": 300,
            "behind": {"v": 362}, "unperformed": {"v": 90000},
            "clear": {"v": {"never": "not at this rate"}}, "late": {"v": {"passed": true}},
            "accepted": {"v": 2000}, "performed": {"v": 1650},
            "cause": {"slower": null, "can": null, "timesUsual": null}}},
         {"id": "disk~/data", "kind": "disk", "severity": "watch", "service": null,
          "volume": "/data", "job": null,
          "opened": "2026-11-26T20:04:05Z", "closed": "2026-11-26T20:34:05Z",
          "peak": 28800,
          "figures": {"runway": {"v": {
              "middle": {"in": 32400}, "low": {"in": 28800}, "high": {"in": 36000}}},
            "usedBytes": {"v": 40000000000}, "stopBytes": {"v": 90000000000},
            "sizeBytes": {"v": 100000000000}, "toFreeBytes": {"v": 0},
            "othersShare": {"v": 0}, "next": null, "enough": null, "full": null}}]}
      """;

  private static final int MOST_REQUESTS = 30;
  private static final int MOST_BYTES = 120_000;
  private static final int MOST_WORDS = 200;
  private static final int MOST_NUMBERS = 40;

  /** Longer than a screen waits that asks every ten seconds. */
  private static final int IDLE_MILLIS = 20_000;

  /** What the browser received, with headers. */
  private static final String RECEIVED =
      """
      () => ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))
          .reduce((sum, one) => sum + one.transferSize, 0)
      """;

  /** Without what only screen readers say. */
  private static final String SEEN_TEXT =
      """
      () => {
        document.querySelectorAll('.vh, .skip').forEach((one) => { one.style.display = 'none'; });
        return document.body.innerText;
      }
      """;

  @TempDir static Path data;
  private static Chromium chromium;
  private static ForebayProcess forebay;
  private static Admin admin;

  @BeforeAll
  static void start() throws Exception {
    forebay =
        Admin.demo(
            data,
            "--forebay.door.callers.night-import.rate=500",
            "--forebay.door.callers.night-import.max-requests=20");
    chromium = Chromium.launch();
    admin = Admin.of(chromium, forebay);
  }

  @AfterAll
  static void stop() throws Exception {
    chromium.close();
    forebay.close();
  }

  static Stream<Screen> screens() {
    return SCREENS.stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("screens")
  void isRight(Screen screen) {
    isRight(screen, Look.USUAL);
  }

  /** The chosen screens; with {@code forebay.ui.long} all. */
  static Stream<Screen> narrowScreens() {
    return SCREENS.stream().filter(screen -> LONG || screen.chosen());
  }

  @Tag("proof")
  @ParameterizedTest(name = "{0}")
  @MethodSource("narrowScreens")
  void isRightInANarrowAndDarkWindow(Screen screen) {
    isRight(screen, Look.NARROW);
  }

  private void isRight(Screen screen, Look look) {
    try (BrowserContext profile = admin.profile(look.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, screen.path());
      check(
          page, complaints, screen.name() + "-" + look, screen.chosen() && look.equals(Look.USUAL));
    }
  }

  @Tag("proof")
  @Test
  void everyScreenFitsAPhoneAndTwiceTheSize() {
    try (BrowserContext profile = admin.profile(Look.PHONE.options())) {
      Page page = profile.newPage();
      SoftAssertions.assertSoftly(softly -> {
        for (Screen screen : SCREENS) {
          admin.open(page, screen.path());
          page.waitForFunction("() => !document.querySelector('.waiting')");
          page.evaluate(
              "() => document.querySelectorAll('main details').forEach((one) => { one.open = true; })");
          for (Look look : List.of(Look.PHONE, Look.ZOOMED)) {
            ScreenChecks.resize(page, look);
            String name = screen.name() + "-" + look;
            ScreenChecks.picture(page, name, false);
            softly.assertThat(ScreenChecks.sidewaysScroll(page)).as(name).isZero();
            softly.assertThat(ScreenChecks.misfits(page)).as(name).isEmpty();
            softly.assertThat(page.locator(".topbar .menu").isVisible()).as(name).isTrue();
            softly.assertThat(page.locator("#nav").isVisible()).as(name).isFalse();
          }
          if (screen.chosen() || LONG) {
            ScreenChecks.resize(page, Look.PHONE);
            softly.assertThat(ScreenChecks.violations(page)).as(screen.name()).isEmpty();
          }
        }
      });
    }
  }

  @Tag("proof")
  @Test
  void theMenuOfAPhoneOpensAndClosesWithTheKeyboard() {
    PlaywrightAssertions.setDefaultAssertionTimeout(30_000);
    try (BrowserContext profile = admin.profile(Look.PHONE.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, "/");
      Locator menu = page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Menu"));
      menu.focus();
      page.keyboard().press("Enter");
      PlaywrightAssertions.assertThat(menu).hasAttribute("aria-expanded", "true");
      PlaywrightAssertions.assertThat(page.locator("#nav")).isVisible();
      check(page, complaints, "menu-" + Look.PHONE, false);
      assertThat(ScreenChecks.misfits(page)).isEmpty();
      page.keyboard().press("Tab");
      page.keyboard().press("Escape");
      PlaywrightAssertions.assertThat(page.locator("#nav")).isHidden();
      PlaywrightAssertions.assertThat(menu).isFocused();
      page.keyboard().press("Enter");
      page.locator("#nav a", new Page.LocatorOptions().setHasText("Storage")).click();
      page.waitForURL("**/admin/storage");
      PlaywrightAssertions.assertThat(page.locator("#nav")).isHidden();
    }
  }

  @ParameterizedTest
  @MethodSource("io.forebay.ui.Look#usual")
  void theLoginIsRight(Look look) {
    try (BrowserContext profile = admin.stranger(look.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.load(page, "/", page.getByLabel("Password"));
      // The request for the current user is answered with 401, which the browser logs.
      check(page, complaints.without("401"), "login-" + look, false);
    }
  }

  @Test
  void aRefusedLoginWithTheProviderLeadsBackToTheLoginWhichSaysWhyOnce() {
    PlaywrightAssertions.setDefaultAssertionTimeout(30_000);
    try (BrowserContext profile = admin.stranger(Look.USUAL.options())) {
      fulfill(profile, "oidc", "{\"login\": true}");
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.load(page, "/?login=no_rights", page.locator(".error"));
      PlaywrightAssertions.assertThat(page.locator(".error"))
          .containsText("none of your groups has a role here");
      PlaywrightAssertions.assertThat(page).hasURL(admin.url("/"));
      PlaywrightAssertions.assertThat(page.getByText("Log in with the OpenID provider"))
          .hasAttribute("href", "/admin/api/v1/oidc/login/provider");
      check(page, complaints.without("401"), "login-refused", false);
      page.reload();
      page.getByText("Log in with the OpenID provider").waitFor();
      PlaywrightAssertions.assertThat(page.locator(".error")).hasCount(0);
    }
  }

  @Test
  void aUserOfTheProviderWithALongNameCanLogOutAlsoInASmallerWindow() {
    PlaywrightAssertions.setDefaultAssertionTimeout(30_000);
    try (BrowserContext profile = admin.profile(Look.USUAL.options().setViewportSize(1210, 800))) {
      fulfill(
          profile,
          "me",
          """
          {"name": "oidc:alice.with.a.long.name@example.com@login.example.com/realms/shop",
           "role": "admin", "mustChange": false, "provider": true}
          """);
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, "/settings");
      PlaywrightAssertions.assertThat(page.locator("button.who"))
          .containsText("alice.with.a.long.name@example.com admin");
      PlaywrightAssertions.assertThat(
              page.getByText("Log out", new Page.GetByTextOptions().setExact(true)))
          .isInViewport();
      check(page, complaints, "users-of-provider", false);
      profile.unrouteAll(); // a request of the page may be on its way while the profile closes
    }
  }

  @ParameterizedTest
  @MethodSource("io.forebay.ui.Look#usual")
  void theScreenForAGeneratedPasswordIsRightAndShowsTheRule(Look look) {
    try (BrowserContext profile = admin.profile(look.options())) {
      profile.route(
          "**/admin/api/v1/me",
          route ->
              route.fulfill(
                  new Route.FulfillOptions()
                      .setContentType("application/json")
                      .setBody(
                          """
                          {"name": "olga", "role": "operator", "mustChange": true,
                           "passwordRule": "Use 12 to 200 characters."}
                          """)));
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.load(page, "/", page.getByText("Use 12 to 200 characters."));
      check(page, complaints, "password-first-" + look, false);
      profile.unrouteAll(); // a request of the page may be on its way while the profile closes
    }
  }

  @Test
  void aPageWhoseProgramDoesNotArriveSaysSo() {
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      page.route("**/main.js", Route::abort);
      page.navigate(admin.url("/"));
      page.getByText("reload the page").waitFor();
      page.unroute("**/main.js");
      admin.open(page, "/");
      assertThat(page.getByText("reload the page").count()).isZero();
    }
  }

  @Test
  void homeNeedsFewRequestsAndThenOnlyTheStream() {
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      List<String> requests = new ArrayList<>();
      page.onRequest(request -> requests.add(request.url()));
      admin.open(page, "/");
      page.locator(".chart canvas").waitFor();
      int bytes = ((Number) page.evaluate(RECEIVED)).intValue();
      System.out.printf("Home: %d requests, %d bytes%n", requests.size(), bytes);
      assertThat(requests).hasSizeBetween(10, MOST_REQUESTS);
      assertThat(bytes).isBetween(50_000, MOST_BYTES);
      requests.clear();
      page.waitForTimeout(IDLE_MILLIS);
      assertThat(requests).isEmpty();
    }
  }

  @Test
  void homeIsReadAtAGlance() {
    PlaywrightAssertions.setDefaultAssertionTimeout(180_000);
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      admin.open(page, "/");
      for (Look look : List.of(Look.USUAL, Look.PHONE)) {
        ScreenChecks.resize(page, look);
        PlaywrightAssertions.assertThat(page.locator(".tile h2"))
            .hasText(new String[] {"Lag", "Burst headroom", "Disk runway"});
        for (Locator tile : page.locator(".tile").all()) {
          PlaywrightAssertions.assertThat(tile)
              .isInViewport(new LocatorAssertions.IsInViewportOptions().setRatio(1));
        }
        assertThat(page.locator(".tile .big").allInnerTexts()).noneMatch(it -> it.contains("–"));
      }
      ScreenChecks.resize(page, Look.USUAL);
      PlaywrightAssertions.assertThat(page.locator(".verdict.fine")).isVisible();
      assertThat(page.locator("tr[data-service]").count()).isGreaterThanOrEqualTo(6);
      String text = page.evaluate(SEEN_TEXT).toString();
      List<String> words =
          Arrays.stream(text.split("\\s+")).filter(it -> it.matches(".*\\w.*")).toList();
      long numbers = Pattern.compile("\\d+([.,:]\\d+)*").matcher(text).results().count();
      System.out.printf("Home: %d words, %d numbers%n", words.size(), numbers);
      assertThat(words).as(text).hasSizeLessThanOrEqualTo(MOST_WORDS);
      assertThat(numbers).as(text).isLessThanOrEqualTo(MOST_NUMBERS);
    }
  }

  @Test
  void aScreenWhoseFilesDoNotArriveSaysSoAndTriesAgain() {
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      page.route("**/screens/jobs.js", Route::abort);
      admin.open(page, "/jobs");
      page.getByText("The server did not send the files of this screen.").waitFor();
      ScreenChecks.picture(page, "screen-not-loaded", false);
      assertThat(ScreenChecks.violations(page)).isEmpty();
      page.getByText("Try again").click();
      page.getByText("The server did not send the files of this screen.").waitFor();
      page.unroute("**/screens/jobs.js");
      page.getByText("Try again").click();
      page.locator("main .problem")
          .waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.DETACHED));
      assertThat(page.locator("main h1").innerText()).isEqualTo("Jobs");
    }
  }

  @ParameterizedTest
  @MethodSource("io.forebay.ui.Look#usual")
  void theQuestionBeforeAPauseIsRight(Look look) {
    try (BrowserContext profile = admin.profile(look.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, "/services/orders");
      page.getByLabel(Pattern.compile("^Pause… ")).click();
      Locator dialog = page.locator("dialog[open]");
      dialog.locator("ul.effect li").first().waitFor();
      dialog.getByLabel("How long").selectOption("at");
      dialog.getByLabel("Time, UTC").fill("08:00");
      dialog.getByText("The service resumes automatically at").waitFor();
      check(page, complaints, "pause-" + look, look.equals(Look.USUAL));
    }
  }

  /** Another operator pauses the service while this one writes a reason. */
  @Test
  void aSecondPauseAsksBeforeItReplacesTheFirst() {
    PlaywrightAssertions.setDefaultAssertionTimeout(30_000);
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, "/services/mail");
      page.getByLabel(Pattern.compile("^Pause… ")).click();
      Locator dialog = page.locator("dialog[open]");
      dialog.locator("ul.effect li").first().waitFor();
      pause(page, "mail", "the mail server is moved");
      dialog.getByLabel("How long").selectOption("1h");
      dialog.getByLabel("Reason").fill("too many bounces");
      dialog.locator("button.danger").click();
      PlaywrightAssertions.assertThat(dialog.locator(".question"))
          .containsText(
              Pattern.compile("Paused .* s ago by admin until .* UTC: “the mail server is moved”"));
      // The browser logs each answer of 409.
      check(page, complaints.without("409"), "pause-second", false);
      dialog.getByText("Replace the pause").click();
      PlaywrightAssertions.assertThat(page.locator(".lag"))
          .containsText(Pattern.compile("paused until .* UTC by admin: too many bounces"));
      page.getByText("its oldest message will be late at").waitFor();
      check(page, complaints.without("409"), "service-paused", false);

      admin.open(page, "/");
      PlaywrightAssertions.assertThat(page.locator(".verdict"))
          .containsText(Pattern.compile("mail is paused until .* UTC by admin: too many bounces"));
      check(page, complaints.without("409"), "services-paused", false);
    } finally {
      try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
        Page page = profile.newPage();
        admin.open(page, "/");
        post(page, "/services/mail/resume", "{}");
      }
    }
  }

  private static void pause(Page page, String service, String reason) {
    post(page, "/services/" + service + "/pause", "{\"reason\": \"" + reason + "\"}");
  }

  private static void post(Page page, String path, String body) {
    page.evaluate(
        """
        async ([path, body]) => {
          const answer = await fetch('/admin/api/v1' + path, {method: 'POST', body, headers: {
            'Content-Type': 'application/json',
            'X-XSRF-TOKEN': document.cookie.match(/forebay-xsrf=([^;]*)/)[1]}});
          if (!answer.ok) throw new Error(path + ' ' + answer.status);
        }
        """,
        List.of(path, body));
  }

  @Test
  void usersChangeTheirOwnPasswordAndSeeTheRuleBefore() {
    PlaywrightAssertions.setDefaultAssertionTimeout(30_000);
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, "/");
      page.locator("button.who").click();
      Locator dialog = page.locator("dialog[open]");
      PlaywrightAssertions.assertThat(dialog).containsText("Use 12 to 200 characters");
      PlaywrightAssertions.assertThat(dialog.locator("input:focus")).hasId("old");
      check(page, complaints, "password", false);
      dialog.locator("#old").fill(Admin.PASSWORD);
      dialog.locator("#fresh").fill("too short");
      dialog.locator("#again").fill("too short");
      dialog.getByText("Change password").click();
      PlaywrightAssertions.assertThat(dialog.locator(".error")).containsText("is not accepted");
      dialog.locator("#fresh").fill(Admin.PASSWORD + "!");
      dialog.locator("#again").fill(Admin.PASSWORD + "!");
      dialog.getByText("Change password").click();
      PlaywrightAssertions.assertThat(page.locator(".notice"))
          .containsText("Your password is changed.");
      admin = admin.with(profile); // all other logins have ended
    }
  }

  @ParameterizedTest
  @MethodSource("io.forebay.ui.Look#usual")
  void theValuesOfAFailureAreShownAfterAQuestion(Look look) {
    try (BrowserContext profile = admin.profile(look.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, "/failed?service=orders");
      page.locator("button[aria-label^='List:']").first().click();
      page.locator("button[aria-label^='Show values']").first().click();
      Locator dialog = page.locator("dialog[open]");
      assertThat(dialog.innerText()).contains("recorded in the audit");
      assertThat(dialog.locator(".values").count()).isZero();
      dialog.locator("button.primary").click();
      dialog.locator(".values :is(li, dd)").first().waitFor();
      assertThat(dialog.innerText()).contains("The error");
      check(page, complaints, "values-" + look, false);
      admin.open(page, "/audit");
      page.locator("code:text-is('failed.values')").first().waitFor();
    }
  }

  @ParameterizedTest
  @MethodSource("io.forebay.ui.Look#usual")
  void aMessageIsFoundAndItsValuesAreShownAfterAQuestion(Look look) {
    try (BrowserContext profile = admin.profile(look.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, "/messages");
      page.getByText("orders.in").click();
      Locator rows = page.locator(".messages [data-row]");
      rows.nth(49).waitFor();
      String newest = rows.first().innerText();
      page.getByText("Older", new Page.GetByTextOptions().setExact(true)).click();
      page.getByText("Newer", new Page.GetByTextOptions().setExact(true)).waitFor();
      assertThat(rows.allInnerTexts()).isNotEmpty().doesNotContain(newest);
      // The first message has its answer even if the machine is too slow for the demo.
      admin.open(page, "/messages/orders.in?partition=0&before=1");
      rows.last().locator("a").click();
      Locator detail = page.locator(".detail");
      detail.getByText("hidden").waitFor();
      assertThat(page.locator("main :is(.error, .problem)").count()).isZero();
      check(page, complaints, "message-" + look, false);

      detail.getByText("Show values…").click();
      Locator dialog = page.locator("dialog[open]");
      dialog.locator("button.primary").click();
      dialog.locator(".values li").first().waitFor();
      check(page, complaints, "message-values-" + look, false);
      page.keyboard().press("Escape");
      Locator find = detail.getByText("Find its answer");
      // A click is lost if its target is redrawn meanwhile; the statement may still wait, or
      // fail.
      page.waitForCondition(() -> {
        if (find.isVisible()) {
          find.click();
        } else if (page.getByText("No match").isVisible()) {
          page.reload();
        }
        return page.url().contains("orders.out") && rows.count() == 1;
      });
      rows.first().locator("a").click();
      detail.getByText("Source").waitFor();
      admin.open(page, "/audit");
      page.locator("code:text-is('message.values')").first().waitFor();
      assertThat(complaints.all()).isEmpty();
    }
  }

  @Test
  void aLinkLeadsToItsSectionOfAService() {
    aLinkLeadsToItsSectionOfAService(Look.USUAL);
  }

  @Tag("proof")
  @Test
  void aLinkLeadsToItsSectionOfAServiceInANarrowAndDarkWindow() {
    aLinkLeadsToItsSectionOfAService(Look.NARROW);
  }

  private void aLinkLeadsToItsSectionOfAService(Look look) {
    PlaywrightAssertions.setDefaultAssertionTimeout(30_000);
    try (BrowserContext profile = admin.profile(look.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      for (String section : List.of("latency", "burst", "failed", "partitions")) {
        admin.open(page, "/services/stock?t=" + section);
        page.waitForFunction("() => !document.querySelector('.waiting')");
        PlaywrightAssertions.assertThat(page.locator("#" + section).locator("h2").first())
            .isInViewport();
        check(page, complaints, "service-" + section + "-" + look, false);
      }
      page.locator("nav.tabs a", new Page.LocatorOptions().setHasText("Plan a burst")).click();
      PlaywrightAssertions.assertThat(page.locator("#burst h2").first()).isInViewport();
    }
  }

  /** The demo has no lanes. */
  @Test
  void theCallersAreShownWithTheirLimitsAndTheLanes() {
    theCallersAreShownWithTheirLimitsAndTheLanes(Look.USUAL);
  }

  @Tag("proof")
  @Test
  void theCallersAreShownWithTheirLimitsAndTheLanesInANarrowAndDarkWindow() {
    theCallersAreShownWithTheirLimitsAndTheLanes(Look.NARROW);
  }

  private void theCallersAreShownWithTheirLimitsAndTheLanes(Look look) {
    PlaywrightAssertions.setDefaultAssertionTimeout(30_000);
    try (BrowserContext profile = admin.profile(look.options())) {
      profile.route(
          "**/admin/api/v1/callers",
          route ->
              route.fulfill(
                  new Route.FulfillOptions().setContentType("application/json").setBody(CALLERS)));
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, "/callers");
      PlaywrightAssertions.assertThat(
              page.getByLabel("Statements that are not offered").locator("tbody tr"))
          .containsText(new String[] {"SQLState 42P01"});
      PlaywrightAssertions.assertThat(page.getByLabel("Callers with limits").locator("tbody tr"))
          .containsText(new String[] {"see burst", "▲ 250 of 250", "✓ 1 of 4"});
      PlaywrightAssertions.assertThat(page.getByLabel("Lanes").locator("tbody tr"))
          .containsText(new String[] {"75 %", "25 %"});
      check(page, complaints, "callers-full-" + look, false);
      page.getByLabel("Change… the limit of night-import").click();
      PlaywrightAssertions.assertThat(page.locator("dialog[open] .effect li")).hasCount(5);
      page.locator("dialog[open] #perSecond").fill("0");
      page.locator("dialog[open] #reason").fill("x");
      page.locator("dialog[open] [type=submit]").click();
      PlaywrightAssertions.assertThat(page.locator("dialog[open] .error")).isVisible();
      check(page, complaints, "callers-limit-" + look, false);
      profile.unrouteAll(); // a request of the page may be on its way while the profile closes
    }
  }

  /** The demo has other alerts each time. */
  @Test
  void theAlertsOfTheLastDayAreAFoldedSectionOfHome() {
    theAlertsOfTheLastDayAreAFoldedSectionOfHome(Look.USUAL);
  }

  @Tag("proof")
  @Test
  void theAlertsOfTheLastDayAreAFoldedSectionOfHomeInANarrowAndDarkWindow() {
    theAlertsOfTheLastDayAreAFoldedSectionOfHome(Look.NARROW);
  }

  private void theAlertsOfTheLastDayAreAFoldedSectionOfHome(Look look) {
    PlaywrightAssertions.setDefaultAssertionTimeout(30_000);
    try (BrowserContext profile = admin.profile(look.options())) {
      fulfill(profile, "alerts", ALERTS);
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, "/");
      page.locator(".last-alerts summary").click();
      PlaywrightAssertions.assertThat(page.locator(".last-alerts tbody tr"))
          .containsText(
              new String[] {
                "orders is 6 m 2 s behind, past its 5 m limit, and growing: accepts 2,000/s, performs 1,650/s.",
                "will be full in about 9 h"
              });
      PlaywrightAssertions.assertThat(page.locator(".last-alerts tbody tr"))
          .containsText(new Pattern[] {Pattern.compile("open, \\d+ d"), Pattern.compile("30 m")});
      // The click may have scrolled a link behind the bar at the top.
      page.evaluate("() => scrollTo(0, 0)");
      check(page, complaints, "alerts-full-" + look, false);
      page.locator(".last-alerts tbody a").first().click();
      page.waitForURL(url -> url.endsWith("/services/orders"));
      page.locator(".chart").first().waitFor();
      assertThat(complaints.all()).isEmpty();
      profile.unrouteAll(); // a request of the page may be on its way while the profile closes
    }
  }

  private static void fulfill(BrowserContext profile, String path, String body) {
    profile.route(
        url -> url.endsWith("/admin/api/v1/" + path),
        route ->
            route.fulfill(
                new Route.FulfillOptions().setContentType("application/json").setBody(body)));
  }

  @Test
  void aPipelineIsAGraphWithWhatWaitsForEachStage() {
    PlaywrightAssertions.setDefaultAssertionTimeout(60_000);
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, "/services/mail");
      Locator stages = page.locator(".pipeline [data-stage]");
      PlaywrightAssertions.assertThat(stages.locator(".stage a"))
          .hasText(new String[] {"mail", "tracking", "journal"});
      PlaywrightAssertions.assertThat(page.locator(".pipeline .queue"))
          .hasText(new String[] {"mail.in", "mail.out", "tracking.out", "journal.out"});
      for (Locator stage : stages.all()) {
        PlaywrightAssertions.assertThat(stage.locator(".waiting-now"))
            .hasText(Pattern.compile("\\d m?s behind\\s*[\\d,]+ messages?"));
        PlaywrightAssertions.assertThat(stage.locator(".arrive"))
            .containsText(Pattern.compile("[\\d.,]+/s arrive"));
      }
      stages.last().locator(".stage a").click();
      PlaywrightAssertions.assertThat(page.locator(".pipeline [aria-current=page]"))
          .hasText("journal");
      page.locator(".pipeline .queue a").last().click();
      page.locator(".messages [data-row] a").first().click();
      PlaywrightAssertions.assertThat(page.locator("[data-hop]"))
          .containsText(new String[] {"mail", "tracking", "journal"});
      PlaywrightAssertions.assertThat(page.locator("[data-hop]").first())
          .containsText(Pattern.compile("\\d (µs|ms|s)"));
      check(page, complaints, "message-history-" + Look.USUAL, false);
    }
  }

  @Test
  void aScreenAsksAgainForWhatWasUnavailable() {
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      AtomicBoolean searched = new AtomicBoolean(true);
      profile.route(
          "**/admin/api/v1/queues",
          route -> {
            if (searched.get()) {
              route.fulfill(
                  new Route.FulfillOptions()
                      .setStatus(503)
                      .setContentType("application/problem+json")
                      .setBody("{\"detail\": \"Not read: somebody else searches.\"}"));
            } else {
              route.resume();
            }
          });
      Page page = profile.newPage();
      // When the stream is live, the screen asks once more; what comes after that is a retry.
      admin.open(page, "/messages");
      page.waitForResponse("**/admin/api/v1/queues", () -> {});
      page.getByText("Not read: somebody else searches.").waitFor();
      searched.set(false);
      page.getByText("orders.in").waitFor();
      profile.unrouteAll(); // a request of the page may be on its way while the profile closes
    }
  }

  @Test
  void anUnknownServiceSaysSo() {
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      admin.open(page, "/services/no-such");
      assertThat(page.locator("main").innerText()).contains("No service of this name");
    }
  }

  private static void check(Page page, Complaints complaints, String name, boolean chosen) {
    ScreenChecks.picture(page, name, chosen);
    SoftAssertions.assertSoftly(softly -> {
      softly.assertThat(ScreenChecks.violations(page)).isEmpty();
      softly.assertThat(ScreenChecks.sidewaysScroll(page)).isZero();
      softly.assertThat(complaints.all()).isEmpty();
    });
  }
}
