/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import com.deque.html.axecore.args.AxeRunOptions;
import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Page;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The checks of every screen, and its screenshot. */
final class ScreenChecks {

  private static final Path SCREENSHOTS = Path.of("target/screenshots");
  private static final Path IMAGES = Path.of("../../docs/images");
  private static final List<String> TAGS =
      List.of("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice");

  private static final String MISFITS =
      """
      () => {
        const width = document.documentElement.clientWidth;
        const found = [];
        const say = (what, one) => found.push(`${what}: ${one.tagName.toLowerCase()}.${one.getAttribute('class')} "${one.textContent.trim().slice(0, 60)}"`);
        const isFor = (one, test) => { for (let at = one; at; at = at.parentElement) if (test(at, getComputedStyle(at))) return true; return false; };
        const isUnseen = (one) => isFor(one, (at, style) => style.clipPath !== 'none' || at.matches('.skip, [hidden]'));
        const scrolls = (one) => isFor(one.parentElement, (at, style) => at !== document.documentElement && ['auto', 'scroll'].includes(style.overflowX));
        const lines = (one) => {
          const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
          const found = new Set();
          for (let text = walker.nextNode(); text; text = walker.nextNode()) {
            if (isUnseen(text.parentElement)) continue;
            const range = document.createRange();
            range.selectNode(text);
            for (const box of range.getClientRects()) found.add(Math.round(box.bottom / 8));
          }
          return found.size;
        };
        for (const one of document.querySelectorAll('body *')) {
          const box = one.getBoundingClientRect();
          if (!one.checkVisibility({ visibilityProperty: true }) || box.width < 2 || isUnseen(one)) continue;
          const style = getComputedStyle(one);
          if ((box.right > width + 1 || box.left < -1) && !scrolls(one)) say('outside the window', one);
          if (['hidden', 'clip'].includes(style.overflowX) && one.scrollWidth > one.clientWidth + 1 && one.textContent.trim()) say('cut off', one);
          if (one.matches('.big, .fig, td.n, .answers dd') && lines(one) > 2) say('on more than two lines', one);
          if (one.matches('button, .button, input, select, summary, nav a, .tabs a, .range a') && (box.height < 24 || box.width < 24) && !one.matches('input[type=checkbox]')) say(`${Math.round(box.width)} × ${Math.round(box.height)} px`, one);
        }
        return found;
      }
      """;

  /**
   * Charts get their new width while the next frame is drawn, and are drawn with it in the one
   * after.
   */
  private static final String DRAWN_TWICE =
      "() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))";

  private ScreenChecks() {}

  /** Gives the window the size of a look, and waits until the charts have followed it. */
  static void resize(Page page, Look look) {
    page.setViewportSize(look.width(), look.height());
    page.evaluate(DRAWN_TWICE);
  }

  /**
   * Each violation of a rule of axe with the elements that violate it. The page has no frames, for
   * which axe would open another page; and what violates no rule is not described, which takes most
   * of the time.
   */
  static List<String> violations(Page page) {
    page.evaluate("() => scrollTo(0, 0)"); // the bar at the top may hide a part of a link
    AxeRunOptions options = new AxeRunOptions();
    options.setResultTypes(List.of("violations"));
    return new AxeBuilder(page)
        .setLegacyMode(true).options(options).withTags(TAGS).analyze().getViolations().stream()
            .map(ScreenChecks::text)
            .toList();
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
   * What does not fit: text that is cut off or outside the window, figures on more than two lines,
   * and controls below 24 px. Elements that scroll inside themselves may be wider than the window.
   */
  static List<String> misfits(Page page) {
    return ((List<?>) page.evaluate(MISFITS)).stream().map(String::valueOf).toList();
  }

  /**
   * Writes a screenshot to target/screenshots if {@code -Dforebay.ui.long=true} is set, and renews
   * the one in docs/images if {@code -Dforebay.docs.write=true} is set. Nothing else: a screenshot
   * takes a second.
   *
   * @param chosen whether the documentation may show it; it does if docs/images has it
   */
  static void picture(Page page, String name, boolean chosen) {
    if (Boolean.getBoolean("forebay.ui.long")) {
      picture(page, SCREENSHOTS.resolve(name + ".png"));
    }
    Path image = IMAGES.resolve(name + ".png");
    if (chosen && Boolean.getBoolean("forebay.docs.write") && Files.exists(image)) {
      picture(page, image);
    }
  }

  private static void picture(Page page, Path file) {
    page.screenshot(new Page.ScreenshotOptions().setPath(file).setFullPage(true));
  }
}
