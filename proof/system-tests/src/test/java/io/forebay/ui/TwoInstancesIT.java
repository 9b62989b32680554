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
import io.forebay.database.TestPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two processes with their own queues and gateways that share the system database. */
@Tag("proof")
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
    try (TestPostgres server = TestPostgres.start();
        Chromium chromium = Chromium.launch();
        ForebayProcess first = started("first", server, onServer(server))) {
      Admin here = Admin.of(chromium, first);
      try (ForebayProcess second = started("second", server, new String[0])) {
        Admin there = Admin.again(chromium, second);
        showsBoth(here, Look.USUAL, first, second);
        showsBoth(there, Look.NARROW, second, first);
      }
      try (BrowserContext profile = here.profile(Look.USUAL.options())) {
        Page page = profile.newPage();
        here.open(page, "/");
        assertThat(page.locator(".instances")).hasCount(0, GONE);
        failedStatementsAreGroupedByConstraint(here, page, first);
        server.kill();
        everyScreenSaysWhichDatabaseIsAway(here, page, first);
        server.restart();
        assertThat(page.locator(".banner")).hasCount(0, GONE);
      }
    }
  }

  private ForebayProcess started(String name, TestPostgres server, String[] more) throws Exception {
    String[] system = {
      "--forebay.system.datasource.url=" + server.url(),
      "--forebay.system.datasource.username=forebay_owner",
      "--forebay.system.datasource.password="
    };
    return ForebayProcess.start(
        directory.resolve(name),
        Stream.of(system, more).flatMap(Stream::of).toArray(String[]::new));
  }

  /** A gateway on the server, with a statement. */
  private String[] onServer(TestPostgres server) throws IOException {
    server.createTable("create table item (id bigint primary key)");
    Path catalogue =
        Files.writeString(
            directory.resolve("catalogue.yaml"),
            """
            statements:
              - {name: shop.ask, sql: select 1 as one}
              - {name: shop.add, sql: insert into public.item (id) values (1)}
            """);
    return new String[] {
      "--forebay.door.catalogue=" + catalogue.toUri(),
      "--forebay.watch.limits.main=9s",
      "--forebay.gateways.main.datasource.url=" + server.url(),
      "--forebay.gateways.main.datasource.username=forebay_gateway",
      "--forebay.gateways.main.datasource.password=",
      "--forebay.gateways.main.owner.url=" + server.url(),
      "--forebay.gateways.main.owner.username=forebay_owner",
      "--forebay.gateways.main.owner.password="
    };
  }

  private static void send(ForebayProcess forebay, String statement) throws Exception {
    HttpResponse<String> accepted =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(
                        URI.create(
                            "http://" + forebay.address() + "/api/v1/statements/" + statement))
                    .header("Authorization", "Bearer " + forebay.token())
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString("{}"))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(accepted.statusCode()).as(accepted.body()).isEqualTo(202);
  }

  private static void failedStatementsAreGroupedByConstraint(
      Admin admin, Page page, ForebayProcess forebay) throws Exception {
    for (int i = 0; i < 3; i++) {
      send(forebay, "shop.add");
    }
    Locator open = page.locator("[data-service=main] .c-failed a");
    assertThat(open)
        .hasText(
            Pattern.compile("\\S 2"), new LocatorAssertions.HasTextOptions().setTimeout(30_000));
    open.click();
    Locator group = page.locator(".group");
    assertThat(group)
        .containsText("shop.add 23505 unique constraint item_pkey of item violated", SOON);
    assertThat(group)
        .containsText(Pattern.compile("2 in the last minute, the last one \\d+ s ago"), SOON);
    ScreenChecks.picture(page, "failed-groups-light", false);
    try (BrowserContext profile = admin.profile(Look.NARROW.options())) {
      Page narrow = profile.newPage();
      admin.open(narrow, "/failed");
      assertThat(narrow.locator(".group")).containsText("item_pkey", SOON);
      ScreenChecks.picture(narrow, "failed-groups-" + Look.NARROW, false);
      assertThat(ScreenChecks.violations(narrow)).isEmpty();
      assertThat(ScreenChecks.sidewaysScroll(narrow)).isZero();
    }
    admin.open(page, "/");
  }

  private static void everyScreenSaysWhichDatabaseIsAway(
      Admin admin, Page page, ForebayProcess forebay) throws Exception {
    send(forebay, "shop.ask");
    Locator banner = page.locator(".banner");
    Locator verdict = page.locator("section.verdict");
    assertThat(banner)
        .containsText(
            Pattern.compile(
                "The database of main has not responded since \\d\\d:\\d\\d:\\d\\d UTC."),
            SOON);
    assertThat(verdict)
        .containsText(
            Pattern.compile("main waits for its database and passes its 9 s limit in \\d.* s\\."),
            SOON);
    assertThat(banner).containsText("The system database has not responded since", SOON);
    assertThat(banner).containsText("commands are refused", SOON);
    Locator lag = page.locator(".tile").first();
    assertThat(lag).containsText("9 s limit");
    ScreenChecks.picture(page, "database-away", false);
    assertThat(verdict).containsText("main waits for its database and is past its 9 s limit", SOON);
    assertThat(lag).containsText("past its 9 s limit", SOON);
    for (String screen : new String[] {"/storage", "/services/main"}) {
      admin.open(page, screen);
      assertThat(banner).containsText("The database of main has not responded", SOON);
    }
    ScreenChecks.picture(page, "database-away-service", false);
    assertThat(ScreenChecks.violations(page)).isEmpty();
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
