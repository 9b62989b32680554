/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Page;
import java.nio.file.Path;
import java.util.List;

/** The checks of every screen, and its screenshot. */
final class ScreenChecks {

  private static final Path SCREENSHOTS = Path.of("target/screenshots");
  private static final Path IMAGES = Path.of("../../docs/images");
  private static final List<String> TAGS =
      List.of("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice");

  private ScreenChecks() {}

  /** Each violation of a rule of axe with the elements that violate it. */
  static List<String> violations(Page page) {
    return new AxeBuilder(page)
        .withTags(TAGS).analyze().getViolations().stream().map(ScreenChecks::text).toList();
  }

  private static String text(Rule rule) {
    return rule.getId()
        + ": "
        + rule.getHelp()
        + rule.getNodes().stream()
            .map(it -> "\n    " + it.getTarget() + " " + it.getHtml())
            .toList();
  }

  /** The number of pixels by which the page is wider than the window. */
  static int sidewaysScroll(Page page) {
    return ((Number)
            page.evaluate(
                "() => document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"))
        .intValue();
  }

  /**
   * Writes a screenshot to target/screenshots if {@code -Dforebay.ui.long=true} is set, and to
   * docs/images if {@code -Dforebay.docs.write=true} is set. Nothing else: a screenshot takes a
   * second.
   *
   * @param chosen whether the documentation shows it
   */
  static void picture(Page page, String name, boolean chosen) {
    if (Boolean.getBoolean("forebay.ui.long")) {
      picture(page, SCREENSHOTS.resolve(name + ".png"));
    }
    if (chosen && Boolean.getBoolean("forebay.docs.write")) {
      picture(page, IMAGES.resolve(name + ".png"));
    }
  }

  private static void picture(Page page, Path file) {
    page.screenshot(new Page.ScreenshotOptions().setPath(file).setFullPage(true));
  }
}
