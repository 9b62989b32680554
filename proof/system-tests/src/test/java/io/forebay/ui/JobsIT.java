/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.WaitForSelectorState;
import io.forebay.app.ForebayProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The job screens in every look, and the actions of an operator there. */
@Tag("proof")
@NeedsChromium
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class JobsIT {

  /** The label of the filter, which includes its choices. */
  private static final Pattern STATE = Pattern.compile("^State");

  private static final Pattern TIME = Pattern.compile("^Time");

  @TempDir static Path data;
  private static Chromium chromium;
  private static ForebayProcess forebay;
  private static Admin admin;

  @BeforeAll
  static void start() throws Exception {
    forebay = ForebayProcess.start(SomeJobs.class, data, "--forebay.backend=memory");
    chromium = Chromium.launch();
    admin = Admin.of(chromium, forebay);
  }

  @AfterAll
  static void stop() throws Exception {
    chromium.close();
    forebay.close();
  }

  @ParameterizedTest
  @MethodSource("io.forebay.ui.Look#usual")
  void theListIsRight(Look look) {
    look(look, "/jobs", "jobs-some", page -> page.getByText(" left").first().waitFor());
  }

  @ParameterizedTest
  @MethodSource("io.forebay.ui.Look#usual")
  void aJobIsRight(Look look) {
    look(look, "/jobs/end-of-day", "job", page -> page.getByText("scheduler").first().waitFor());
  }

  @ParameterizedTest
  @MethodSource("io.forebay.ui.Look#usual")
  void anExecutionWithChunksIsRight(Look look) {
    look(
        look,
        "/jobs/executions/1",
        "job-execution",
        page -> {
          page.getByText("Why chunks were sent").first().waitFor();
          Locator services = page.locator("[aria-label=Steps] td[data-label=Services]");
          assertThat(services.first().locator("a").allInnerTexts()).containsExactly("main");
          assertThat(services.last().innerText()).contains("main", "prices");
        });
  }

  @ParameterizedTest
  @MethodSource("io.forebay.ui.Look#usual")
  void anExecutionThatFailedIsRight(Look look) {
    look(
        look,
        "/jobs/executions/2",
        "job-failed",
        page -> page.getByText("line is shorter").first().waitFor());
  }

  @ParameterizedTest
  @MethodSource("io.forebay.ui.Look#usual")
  void theQuestionBeforeAStartIsRight(Look look) {
    look(
        look,
        "/jobs/end-of-day",
        "job-start",
        page -> {
          button(page, "Start… end-of-day").click();
          page.locator("dialog[open]").getByLabel("date").waitFor();
        });
  }

  @ParameterizedTest
  @MethodSource("io.forebay.ui.Look#usual")
  void theHomePageShowsTheJobThatFailed(Look look) {
    look(
        look,
        "/",
        "home-job-failed",
        page -> {
          alert(page).waitFor();
          assertThat(failed(page).innerText()).startsWith("1");
        });
  }

  private static Locator alert(Page page) {
    return page.locator(".verdict li", new Page.LocatorOptions().setHasText("ledger-import"));
  }

  /** The number of failed jobs in the menu. */
  private static Locator failed(Page page) {
    return page.locator("#nav a[href$='/jobs'] .count");
  }

  /** Last, because then no job is failed any more. */
  @Test
  @Order(Integer.MAX_VALUE)
  void aFailedJobIsRestartedFromTheHomePageAndAbandoned() {
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      admin.open(page, "/");
      assertThat(alert(page).innerText()).contains("restart execution 2.");
      failed(page).waitFor();
      alert(page).locator("a").press("Enter");
      page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Restart… execution"))
          .press("Enter");
      press(page, "Restart");
      gone(page.locator("dialog[open]"));
      // The screen of execution 2 has the same buttons.
      gone(page.locator("main h1", new Page.LocatorOptions().setHasText("Execution 2 ")));
      Locator abandon =
          page.getByRole(
              AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Abandon… execution"));
      abandon.press("Enter");
      ScreenChecks.picture(page, "job-abandon", false);
      press(page, "Abandon");
      page.locator("main .state", new Page.LocatorOptions().setHasText("Abandoned"))
          .first()
          .waitFor();
      page.locator("#nav a", new Page.LocatorOptions().setHasText("Home")).press("Enter");
      page.locator(".tile").first().waitFor();
      failed(page).waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.DETACHED));
      assertThat(page.locator(".verdict").locator("h1, ul").allInnerTexts())
          .noneMatch(it -> it.contains("ledger-import"));
    }
  }

  @ParameterizedTest
  @MethodSource("io.forebay.ui.Look#usual")
  void aDeadLetterIsShownWithItsCommands(Look look) {
    look(look, "/failed", "dead-letter", JobsIT::openTheDeadLetter);
  }

  /** After that, because then it is not open any more. */
  @Test
  @Order(Integer.MAX_VALUE - 1)
  void aDeadLetterIsExportedSetAsideReopenedAndDiscarded() throws Exception {
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, "/failed");
      openTheDeadLetter(page);
      Locator dialog = page.locator("dialog[open]");
      assertThat(dialog.innerText()).contains("cannot be decoded", "hidden");
      press(page, "Export…");
      Download file = page.waitForDownload(() -> press(page, "Export"));
      assertThat(file.suggestedFilename()).isEqualTo("failed-main-0-0.json");
      assertThat(Files.readString(file.path()))
          .contains("\"position\": 0", Base64.getEncoder().encodeToString("no message".getBytes()));

      decide(page, "Set aside…", "Set aside");
      page.getByText("No open failures").waitFor();
      page.getByLabel(STATE).selectOption("set-aside");
      openTheDeadLetter(page);
      assertThat(dialog.innerText()).contains("Set aside by admin", "for the test");
      assertThat(page.getByLabel(TIME).inputValue()).as("any time").isEqualTo("-3650d");
      ScreenChecks.picture(page, "dead-letter-set-aside", false);
      press(page, "Reopen…");
      press(page, "Reopen");
      gone(dialog);
      gone(page.locator("button[aria-label^='List:']")); // none is set aside any more
      page.getByLabel(STATE).selectOption("");
      openTheDeadLetter(page);
      decide(page, "Discard…", "Discard");
      page.getByText("No open failures").waitFor();
      page.getByLabel(STATE).selectOption("discarded");
      page.locator("button[aria-label^='List:']").click();
      page.getByText("Discarded by admin").waitFor();
      ScreenChecks.picture(page, "dead-letters-discarded", false);
      assertThat(complaints.all()).isEmpty();
      admin.open(page, "/audit");
      for (String action : List.of("export", "set-aside", "reopen", "discard")) {
        page.locator("code:text-is('failed.%s')".formatted(action)).first().waitFor();
      }
    }
  }

  private static void gone(Locator element) {
    element.waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.HIDDEN));
  }

  private static void openTheDeadLetter(Page page) {
    Locator more = page.locator("button[aria-label^='More…']");
    page.locator("button[aria-label^='List:'][aria-expanded=false]").or(more).first().waitFor();
    if (!more.isVisible()) {
      page.locator("button[aria-label^='List:']").click();
    }
    more.click();
    page.locator("dialog[open]").waitFor();
  }

  private static void decide(Page page, String command, String verb) {
    if (!page.locator("dialog[open]").isVisible()) {
      openTheDeadLetter(page);
    }
    press(page, command);
    page.getByLabel("Reason").fill("for the test");
    ScreenChecks.picture(page, "dead-letter-question-" + verb.charAt(0), false);
    press(page, verb);
  }

  private interface Opened {
    void shows(Page page);
  }

  private static void look(Look look, String path, String name, Opened opened) {
    try (BrowserContext profile = admin.profile(look.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, path);
      opened.shows(page);
      ScreenChecks.picture(page, name + "-" + look, false);
      SoftAssertions.assertSoftly(softly -> {
        softly.assertThat(ScreenChecks.violations(page)).isEmpty();
        softly.assertThat(ScreenChecks.sidewaysScroll(page)).isZero();
        softly.assertThat(complaints.all()).isEmpty();
      });
    }
  }

  @Test
  void aJobIsStartedStoppedAndRestartedWithTheKeyboard() {
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      admin.open(page, "/");
      page.locator("#nav a", new Page.LocatorOptions().setHasText("Jobs")).press("Enter");
      press(page, "Start… letters");
      page.getByLabel("Parameters").fill("no equals sign");
      press(page, "Start letters");
      assertThat(page.locator("dialog[open] .error").innerText()).contains("name=value");
      page.keyboard().press("Escape");
      // It gives the focus back when it closes, and would take it from what is pressed next.
      page.locator("dialog")
          .waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.DETACHED));

      page.getByRole(
              AriaRole.LINK, new Page.GetByRoleOptions().setName("end-of-day").setExact(true))
          .press("Enter");
      press(page, "Start… end-of-day");
      press(page, "Start end-of-day");
      assertThat(page.locator("dialog[open] .error").innerText()).contains("date is missing");
      page.getByLabel("date").fill("2026-11-20");
      press(page, "Start end-of-day");
      Locator heading = page.locator("main h1", new Page.LocatorOptions().setHasText("Execution"));
      heading.waitFor();
      page.getByText("Running").first().waitFor();

      page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Stop… execution"))
          .press("Enter");
      press(page, "Stop");
      page.locator("main .state", new Page.LocatorOptions().setHasText("Stopped"))
          .first()
          .waitFor();
      String stopped = heading.innerText();
      page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Restart… execution"))
          .press("Enter");
      press(page, "Restart");
      page.getByText("Running").first().waitFor();
      assertThat(heading.innerText()).isNotEqualTo(stopped);
    }
  }

  private static Locator button(Page page, String name) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  private static void press(Page page, String name) {
    button(page, name).press("Enter");
  }
}
