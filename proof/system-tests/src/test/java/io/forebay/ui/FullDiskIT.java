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
import io.forebay.testing.SmallDisk;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that another program fills: a real one, a tmpfs. */
@Tag("proof")
@NeedsChromium
class FullDiskIT {

  private static final long MIB = 1 << 20;
  private static final long SIZE = 600 * MIB;
  private static final long RESERVE = 200 * MIB;
  private static final long MAY_BE_USED = SIZE - RESERVE;

  private static final LocatorAssertions.ContainsTextOptions SOON =
      new LocatorAssertions.ContainsTextOptions().setTimeout(40_000);

  /** Keeps what the page says of a database that does not respond. */
  private static final String WATCH_FOR_BLAME =
      """
      () => {
        window.blamed = '';
        new MutationObserver(() => {
          const text = document.body.textContent;
          if (text.includes('has not responded')) window.blamed = text.slice(0, 2000);
        }).observe(document.body, { childList: true, subtree: true, characterData: true });
      }
      """;

  @TempDir Path directory;
  private SmallDisk mounted;
  private Path disk;

  @BeforeEach
  void mount() throws Exception {
    mounted = SmallDisk.mount(directory.resolve("disk"), SIZE);
    disk = mounted.directory();
  }

  @AfterEach
  void unmount() {
    if (mounted != null) {
      mounted.close();
    }
  }

  @Test
  void thePageWarnsSaysThatNothingIsAcceptedAndSeesTheRoomAtOnce() throws Exception {
    try (Chromium chromium = Chromium.launch();
        ForebayProcess forebay =
            Admin.demo(disk.resolve("data"), "--forebay.chronicle.min-free=" + RESERVE + "B")) {
      Admin admin = Admin.of(chromium, forebay);
      try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
        Page page = profile.newPage();
        admin.open(page, "/");
        Locator verdict = page.locator("section.verdict");
        Locator row = page.locator("[data-service=orders]").first();
        assertThat(verdict).not().containsText(disk.toString());
        page.evaluate(WATCH_FOR_BLAME);

        fillSlowly(Duration.ofSeconds(8), 16);
        assertThat(verdict)
            .containsText(Pattern.compile(disk + " will be full in about \\d+ s \\("), SOON);

        fill(MAY_BE_USED * 85 / 100);
        assertThat(verdict)
            .containsText(
                Pattern.compile(
                    disk + "(: 1\\d % of what may be used is free \\(| will be full in about )"),
                SOON);
        assertThat(row).not().containsText("Refusing");

        page.getByText("Start a burst").click();
        assertThat(page.getByText("Burst running")).isVisible();
        page.waitForTimeout(3_000); // messages wait now
        fill(MAY_BE_USED + MIB);
        assertThat(verdict).containsText(disk + " is full: ", SOON);
        assertThat(verdict)
            .containsText(
                Pattern.compile(
                    "growth is (not )?from queues: find what else writes there.*(The next file|No file is due)"));
        assertThat(verdict.locator("li").filter(new Locator.FilterOptions().setHasText("full")))
            .hasCount(1);
        Locator tiles = page.locator(".tiles");
        assertThat(tiles).containsText("Full");
        assertThat(tiles.locator(".tile.bad").first())
            .containsText("stands still until space is freed");
        assertThat(row).containsText("Refusing messages");
        assertThat(page.locator("table.services"))
            .containsText(
                "its results cannot be stored because the disk is full; performing continues when there is room");
        assertThat(page.locator("[data-service=mail]").first()).containsText("Refusing messages");
        ScreenChecks.picture(page, "full-disk", false);
        assertThat(ScreenChecks.violations(page)).isEmpty();
        admin.open(page, "/storage");
        assertThat(page.locator(".volume .runway"))
            .containsText(Pattern.compile("are left as reserve; at least \\d+ MiB must be freed"));
        ScreenChecks.picture(page, "full-disk-storage", false);
        admin.open(page, "/");
        page.evaluate(WATCH_FOR_BLAME);

        page.waitForTimeout(6_000); // longer than the longest pause of a service that retries
        free(toFree(verdict) + 2); // others write meanwhile
        long freed = System.nanoTime();
        assertThat(row).not().containsText("Refusing");
        assertThat(verdict).not().containsText(disk + " is full");
        System.out.printf(
            "The page shows the room %,d ms after it was made%n",
            (System.nanoTime() - freed) / 1_000_000);
        assertThat(tiles).not().containsText("stands still");
        page.waitForTimeout(6_000);
        assertThat(page.evaluate("() => window.blamed")).as("the database").isEqualTo("");
      }
    }
  }

  private static long toFree(Locator verdict) {
    Matcher figure =
        Pattern.compile("at least (\\d+) MiB must be freed").matcher(verdict.innerText());
    assertThat(figure.find()).as(verdict.innerText()).isTrue();
    return Long.parseLong(figure.group(1));
  }

  private void free(long mebibytes) throws IOException {
    try (FileChannel channel = FileChannel.open(ballast(), StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() - mebibytes * MIB);
    }
  }

  /** Writes for some time, as many MiB per second. */
  private void fillSlowly(Duration time, int perSecond) throws Exception {
    byte[] zeros = new byte[(int) MIB];
    for (int i = 0; i < time.toSeconds() * perSecond; i++) {
      Files.write(ballast(), zeros, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      Thread.sleep(1_000 / perSecond);
    }
  }

  private Path ballast() {
    return disk.resolve("ballast");
  }

  /** Writes until that many bytes of the disk are used. */
  private void fill(long wanted) throws IOException {
    FileStore store = Files.getFileStore(disk);
    byte[] zeros = new byte[(int) MIB];
    try (OutputStream out =
        Files.newOutputStream(ballast(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      while (store.getTotalSpace() - store.getUsableSpace() < wanted) {
        out.write(zeros);
      }
    }
    assertThat(store.getUsableSpace()).isLessThanOrEqualTo(SIZE - wanted);
  }
}
