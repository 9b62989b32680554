/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import io.forebay.app.ForebayProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An operator unblocks a partition on the page of a real process. */
@Tag("proof")
@NeedsChromium
class BlockedPartitionIT {

  private static final double PATIENCE_MILLIS = 60_000;

  @TempDir Path directory;

  private ForebayProcess start() throws IOException {
    Path data = Files.createDirectories(directory.resolve("data"));
    Files.writeString(
        data.resolve("catalogue.yaml"),
        """
        statements:
          - name: memo.add
            sql: insert into memo (text) values (:text)
            params: [{name: text, type: text}]
        """);
    Path migrations = Files.createDirectories(directory.resolve("migrations"));
    Files.writeString(
        migrations.resolve("V1__memo.sql"),
        """
        create table memo (text varchar(200));
        create trigger blocks before insert on memo referencing new row as added
          for each row when (added.text = 'blocks') signal sqlstate '40001';
        """);
    return ForebayProcess.start(
        data,
        "--forebay.backend=chronicle",
        "--forebay.gateways.main.migrations=filesystem:" + migrations);
  }

  private static int post(ForebayProcess forebay, String token, String path, String body)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + forebay.address() + path))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }
  }

  private static void add(ForebayProcess forebay, String token, String text) throws Exception {
    assertThat(
            post(
                forebay, token, "/api/v1/statements/memo.add", "{\"text\":\"%s\"}".formatted(text)))
        .isEqualTo(202);
  }

  private void damage(String text) throws IOException {
    int damaged = 0;
    try (Stream<Path> all = Files.walk(directory.resolve("data/queues/main.in"))) {
      for (Path file : all.filter(each -> each.toString().endsWith(".cq4")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
        if (at > 0) {
          bytes[at] ^= 1;
          Files.write(file, bytes);
          damaged++;
        }
      }
    }
    assertThat(damaged).isEqualTo(1);
  }

  private static LocatorAssertions eventually(Locator locator) {
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
    return PlaywrightAssertions.assertThat(locator);
  }

  private static Locator button(Page page, String name) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  private static void check(Page page, String name) {
    ScreenChecks.picture(page, name, false);
    SoftAssertions.assertSoftly(softly -> {
      softly.assertThat(ScreenChecks.violations(page)).as(name).isEmpty();
      softly.assertThat(ScreenChecks.sidewaysScroll(page)).as(name).isZero();
    });
  }

  /** Opens the panel and the dialog of its command, and cancels. */
  private static void look(Admin admin, Look look, String command, String name) {
    try (BrowserContext profile = admin.profile(look.options())) {
      Page page = profile.newPage();
      admin.open(page, "/services/main");
      eventually(page.locator(".blocked")).isVisible();
      check(page, name + "-" + look);
      button(page, command).click();
      page.locator("dialog[open] ul.effect li").first().waitFor();
      check(page, name + "-question-" + look);
      button(page, "Cancel").click();
      eventually(page.locator(".blocked")).isVisible();
    }
  }

  @Test
  void aMessageIsFailedAndDamageIsSetAside() throws Exception {
    String token;
    try (ForebayProcess forebay = start();
        Chromium chromium = Chromium.launch()) {
      Admin admin = Admin.of(chromium, forebay);
      token = forebay.token();
      add(forebay, token, "blocks");
      add(forebay, token, "waits");
      for (Look look : List.of(Look.USUAL, Look.NARROW)) {
        look(admin, look, "Fail this message…", "blocked");
      }
      failOnThePage(admin);
      assertThat(
              post(
                  forebay,
                  token,
                  "/api/v1/services/main/pause",
                  "{\"reason\":\"so that all wait\"}"))
          .isEqualTo(200);
      for (String text : List.of("first-memo", "damaged-memo", "last-memo")) {
        add(forebay, token, text);
      }
    }
    damage("damaged-memo");
    try (ForebayProcess forebay = start();
        Chromium chromium = Chromium.launch()) {
      Admin admin = Admin.again(chromium, forebay);
      for (Look look : List.of(Look.USUAL, Look.NARROW)) {
        look(admin, look, "Set aside damaged messages…", "damaged");
      }
      setAsideOnThePage(admin);
    }
    try (ForebayProcess forebay = start();
        Chromium chromium = Chromium.launch()) {
      Admin admin = Admin.again(chromium, forebay);
      try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
        Page page = profile.newPage();
        admin.open(page, "/services/main");
        eventually(page.locator(".blocked")).hasCount(0);
      }
      assertThat(post(forebay, token, "/api/v1/services/main/resume", "{}")).isEqualTo(200);
      assertThat(
              post(
                  forebay,
                  token,
                  "/api/v1/statements/memo.add?wait=20s",
                  "{\"text\":\"after-memo\"}"))
          .as("performed, as all before it")
          .isEqualTo(200);
    }
  }

  private static void failOnThePage(Admin admin) {
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, "/services/main");
      Locator panel = page.locator(".blocked");
      eventually(panel).containsText("Partition 0 waits for one message");
      eventually(panel)
          .containsText(
              Pattern.compile("Position\\s*0.*Since.*UTC.*Attempts\\s*\\d.*SQLState 40001"));
      eventually(page.locator(".head").first()).containsText("Waiting for 1 message");
      eventually(page.locator(".lag")).not().containsText("SQLState");
      button(page, "Fail this message…").click();
      Locator dialog = page.locator("dialog[open]");
      eventually(dialog).containsText("The sender gets a failed result with your reason.");
      button(page, "Fail this message").click();
      eventually(dialog).containsText("Enter a reason");
      page.getByLabel("Reason").fill("it holds up the others");
      button(page, "Fail this message").click();
      eventually(page.locator("main")).not().containsText("waits for one message");
      assertThat(complaints.all()).isEmpty();
      admin.open(page, "/services/main?t=failed");
      eventually(page.locator("main")).containsText("HY008");
    }
  }

  private static void setAsideOnThePage(Admin admin) {
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, "/services/main");
      Locator panel = page.locator(".blocked");
      eventually(panel).containsText("The in-queue of partition 0 is damaged");
      button(page, "Set aside damaged messages…").click();
      Locator dialog = page.locator("dialog[open]");
      eventually(dialog).containsText("accepted and are never performed");
      page.getByLabel("Reason").fill("the disk lost it");
      page.getByLabel("Type main to confirm").fill("main");
      button(page, "Set aside at the next start").click();
      eventually(page.getByText("These messages will be missing: main.in 3.")).isVisible();
      eventually(panel).containsText("set aside at the next start");
      eventually(button(page, "Set aside damaged messages…")).hasCount(0);
      ScreenChecks.picture(page, "damaged-noted", false);
      assertThat(complaints.all()).isEmpty();
    }
  }
}
