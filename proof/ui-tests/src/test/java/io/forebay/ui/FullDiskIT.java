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
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that another program fills: a real one, a tmpfs. */
@NeedsChromium
class FullDiskIT {

  private static final long MIB = 1 << 20;
  private static final long SIZE = 600 * MIB;
  private static final long RESERVE = 200 * MIB;
  private static final long MAY_BE_USED = SIZE - RESERVE;

  private static final LocatorAssertions.ContainsTextOptions SOON =
      new LocatorAssertions.ContainsTextOptions().setTimeout(40_000);

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
            Admin.demo(
                disk.resolve("data"),
                "--forebay.chronicle.min-free=" + RESERVE + "B",
                "--forebay.chronicle.min-free-fraction=0")) {
      Admin admin = Admin.of(chromium, forebay);
      try (BrowserContext profile = admin.profile(Look.USUAL.options())) {
        Page page = profile.newPage();
        admin.open(page, "/");
        Locator verdict = page.locator("section.verdict");
        Locator row = page.locator("[data-service=orders]").first();
        assertThat(verdict).not().containsText(disk.toString());

        fill(MAY_BE_USED * 85 / 100);
        assertThat(verdict)
            .containsText(
                Pattern.compile(disk + ": 1\\d % of what may be used is free \\(\\d+ MiB\\)"),
                SOON);
        assertThat(row).not().containsText("Refusing");

        fill(MAY_BE_USED + MIB);
        assertThat(verdict).containsText(disk + " is full: ", SOON);
        assertThat(verdict)
            .containsText(Pattern.compile("growth is (not )?Forebay's\\. The next file"));
        assertThat(verdict.locator("li")).hasCount(1);
        assertThat(page.locator(".tiles")).containsText("Full");
        assertThat(row).containsText("Refusing messages");
        assertThat(page.locator("[data-service=mail]").first()).containsText("Refusing messages");
        ScreenChecks.picture(page, "full-disk", false);
        assertThat(ScreenChecks.violations(page)).isEmpty();

        Files.delete(ballast());
        long freed = System.nanoTime();
        assertThat(row).not().containsText("Refusing");
        assertThat(verdict).containsText(disk + " has room again");
        assertThat(verdict).not().containsText(disk + " is full");
        System.out.printf(
            "The page shows the room %,d ms after it was made%n",
            (System.nanoTime() - freed) / 1_000_000);
      }
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
        Files.newOutputStream(
            ballast(),
            java.nio.file.StandardOpenOption.CREATE,
            java.nio.file.StandardOpenOption.APPEND)) {
      while (store.getTotalSpace() - store.getUsableSpace() < wanted) {
        out.write(zeros);
      }
    }
    assertThat(store.getUsableSpace()).isLessThanOrEqualTo(SIZE - wanted);
  }
}
