/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Each check of a screen finds an injected error, and nothing on a correct page; in any font, but
 * Chromium needs one to draw text at all.
 */
@NeedsChromium
class ScreenChecksIT {

  private static final String RIGHT =
      "<!doctype html><html lang='en'><title>a</title><main><h1>Title</h1><p%s>text</p></main>%s";

  private static Chromium chromium;

  @BeforeAll
  static void launch() {
    chromium = Chromium.launch();
    try (BrowserContext profile = chromium.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      page.setContent("<span>text</span>");
      assumeThat(page.locator("span").boundingBox().width)
          .as(
              "width of a text; it is 0 if no font is installed (apt-get install fonts-dejavu-core)")
          .isPositive();
    }
  }

  @AfterAll
  static void close() {
    chromium.close();
  }

  @Test
  void findsNothingOnACorrectPage() {
    try (BrowserContext profile = chromium.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      page.setContent(RIGHT.formatted("", ""));
      assertThat(ScreenChecks.violations(page)).isEmpty();
      assertThat(ScreenChecks.sidewaysScroll(page)).isZero();
      assertThat(complaints.all()).isEmpty();
    }
  }

  @Test
  void findsWhatDoesNotFit() {
    try (BrowserContext profile = chromium.profile(Look.PHONE.options())) {
      Page page = profile.newPage();
      page.setContent(RIGHT.formatted("", ""));
      assertThat(ScreenChecks.misfits(page)).isEmpty();
      page.setContent(
          RIGHT.formatted(
              "",
              "<p style='width: 100px; overflow: hidden; white-space: nowrap'>a text that is cut off, whichever font it is in</p>"
                  + "<p style='margin-left: 380px; width: 100px'>beyond</p>"
                  + "<p class='big'>1<br>2<br>3</p><button style='height: 20px'>b</button>"));
      assertThat(ScreenChecks.misfits(page))
          .extracting(it -> it.replaceFirst(": .*", ""))
          .contains("cut off", "outside the window", "on more than two lines")
          .anyMatch(it -> it.endsWith("20 px"));
    }
  }

  @Test
  void findsInjectedErrors() {
    try (BrowserContext profile = chromium.profile(Look.USUAL.options())) {
      Page page = profile.newPage();
      Complaints complaints = Complaints.of(page);
      page.setContent(
          RIGHT.formatted(
              " style='color: #ccc; background: #fff; width: 2000px'",
              "<script>console.error('planted'); undefined.planted</script>"));
      assertThat(ScreenChecks.violations(page)).singleElement().asString().contains("contrast");
      assertThat(ScreenChecks.sidewaysScroll(page)).isPositive();
      assertThat(complaints.all()).hasSize(2).allMatch(it -> it.contains("planted"));
    }
  }
}
