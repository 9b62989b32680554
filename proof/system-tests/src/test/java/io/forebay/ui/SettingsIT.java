/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import io.forebay.app.ForebayProcess;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An administrator adds and deletes a token; and what becomes of a page that stays open. */
@NeedsChromium
class SettingsIT {

  private static final int MOST_STREAMS = 20;

  @TempDir static Path data;
  private static Chromium chromium;
  private static ForebayProcess forebay;
  private static Admin admin;

  @BeforeAll
  static void start() throws Exception {
    PlaywrightAssertions.setDefaultAssertionTimeout(30_000);
    forebay = ForebayProcess.start(data);
    chromium = Chromium.launch();
    admin = Admin.of(chromium, forebay);
  }

  @AfterAll
  static void stop() throws Exception {
    chromium.close();
    forebay.close();
  }

  @Test
  void theSecretOfATokenIsShownOnceAndUntilDone() {
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      admin.open(page, "/settings");
      Locator dialog = page.locator("dialog[open]");
      press(page, "Add a token…");
      page.locator("#new-name").fill("nightly import");
      press(page, "Add token");
      PlaywrightAssertions.assertThat(dialog.locator(".error")).containsText("name must");
      PlaywrightAssertions.assertThat(page.locator("#new-name"))
          .hasAttribute("aria-invalid", "true");

      page.locator("#new-name").fill("nightly-import");
      page.keyboard().press("Enter");
      Locator secret = dialog.locator(".secret");
      secret.waitFor();
      String token = secret.innerText();
      assertThat(token).hasSizeGreaterThan(20);
      page.keyboard().press("Escape");
      page.keyboard().press("Escape");
      page.mouse().click(5, 5);
      PlaywrightAssertions.assertThat(secret).hasText(token);
      assertThat(List.of(ScreenChecks.violations(page), ScreenChecks.misfits(page)))
          .allMatch(List::isEmpty);
      press(page, "Done");
      PlaywrightAssertions.assertThat(dialog).hasCount(0);
      assertThat(page.content()).contains("nightly-import").doesNotContain(token);

      press(page, "Delete… the token nightly-import");
      press(page, "Delete nightly-import");
      PlaywrightAssertions.assertThat(page.locator("main")).not().containsText("nightly-import");
      // The browser logs the answer to the invalid name, and the stream that waits for the end of
      // another one.
      assertThat(complaints.without("400").without("429").all()).isEmpty();
    }
  }

  @Test
  void aPageThatIsOlderThanTheServerIsLoadedAgainForAScreen() {
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      firstStream(page, route -> route.fulfill(older(profile)));
      page.navigate(admin.url("/"));
      page.getByText("The server now runs another version.").waitFor();
      page.evaluate("() => { window.isOld = true; }");
      page.locator("#nav a", new Page.LocatorOptions().setHasText("Settings")).click();
      page.locator("main h1", new Page.LocatorOptions().setHasText("Settings")).waitFor();
      assertThat(page.evaluate("() => window.isOld")).isNull();
      PlaywrightAssertions.assertThat(page).hasURL(admin.url("/settings"));
    }
  }

  /** A stream that ends after a frame of an older server. */
  private static Route.FulfillOptions older(BrowserContext profile) {
    String frame = profile.request().get(admin.url("/api/v1/snapshot")).text();
    return new Route.FulfillOptions()
        .setContentType("text/event-stream")
        .setBody(
            "event: snapshot\ndata: "
                + frame.replaceFirst("\"version\":\"[^\"]*\"", "\"version\":\"older\"")
                + "\n\n");
  }

  private static void firstStream(Page page, Consumer<Route> handler) {
    page.route("**/admin/api/v1/stream", handler, new Page.RouteOptions().setTimes(1));
  }

  @Test
  void aPageBeyondTheLimitSaysThatThereAreTooMany() throws Exception {
    List<InputStream> streams = new ArrayList<>();
    HttpClient http = HttpClient.newHttpClient(); // close() would wait for the streams
    try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
      HttpRequest stream =
          HttpRequest.newBuilder(URI.create(admin.url("/api/v1/stream")))
              .header("Accept", "text/event-stream")
              .header("Cookie", cookies(profile))
              .build();
      // those of pages that were closed end within seconds
      await()
          .until(() -> {
            HttpResponse<InputStream> opened = http.send(stream, BodyHandlers.ofInputStream());
            if (opened.statusCode() == 200) {
              streams.add(opened.body());
            }
            return streams.size() == MOST_STREAMS;
          });
      Page page = profile.newPage();
      page.navigate(admin.url("/"));
      PlaywrightAssertions.assertThat(page.locator(".banner"))
          .containsText("This user has too many streams open (limit=20)");
    } finally {
      http.shutdownNow();
    }
  }

  private static String cookies(BrowserContext profile) {
    return profile.cookies().stream()
        .map(it -> it.name + "=" + it.value)
        .collect(Collectors.joining("; "));
  }

  private static void press(Page page, String name) {
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true))
        .click();
  }
}
