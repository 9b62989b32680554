/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ScreenshotAnimations;
import com.microsoft.playwright.options.ScreenshotCaret;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares the screens that matter most with the pictures of them that are kept, within a
 * tolerance. No server runs: figures, time and fonts (DejaVu) are fixed. {@code
 * -Dforebay.pictures.write=true} replaces the kept pictures instead.
 */
@Tag("proof")
@NeedsChromium
class PicturesIT {

  private static final Instant NOW = Instant.parse("2026-11-20T02:31:07Z");
  private static final String DATA = "/io/forebay/ui/pictures/";
  private static final Path KEPT = Path.of("src/test/resources" + DATA);
  private static final Path DIFFERENT = Path.of("target/pictures");
  private static final String RENEW =
      "mvn verify -Pproof -pl proof/system-tests -am -Dtest=None -Dit.test=PicturesIT"
          + " -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false"
          + " -Dforebay.pictures.write=true";

  private static final String ME =
      """
      {"name": "olga", "role": "operator", "mustChange": false,
       "provider": false, "passwordRule": ""}
      """;

  /** The answers of the server by the end of their paths. */
  private static final Map<String, String> ANSWERS =
      Map.of("/failures", "failures.json", "/replays", "replays.json", "/series", "series.json");

  /** The frame of its stream comes again and again, so it stays new. */
  private static final String PAGE =
      """
      window.EventSource = class {
        addEventListener(_, snapshot) {
          const data = JSON.stringify(%s);
          snapshot({ data });
          setInterval(() => snapshot({ data }), 500);
        }
        close() {}
      };
      """;

  private static final String STYLE =
      """

      html:root { --font: 'DejaVu Sans'; --mono: 'DejaVu Sans Mono'; }
      * { animation: none !important; transition: none !important; scrollbar-width: none !important; }
      """;

  private static final String HAS_FONT =
      """
      () => {
        const pen = document.createElement('canvas').getContext('2d');
        return ['DejaVu Sans', 'DejaVu Sans Mono'].every((name) => {
          const widths = ['serif', 'monospace', 'sans-serif'].map((other) => {
            pen.font = `20px "${name}", ${other}`;
            return pen.measureText('mmmWWWiii').width;
          });
          return new Set(widths).size === 1;
        });
      }
      """;

  private static final Look WIDE = new Look(ColorScheme.LIGHT, 1280, 800);
  private static final Look DARK = new Look(ColorScheme.DARK, 1280, 800);

  private record Screen(String name, String path, String frame, String shown) {}

  private static Chromium chromium;

  @BeforeAll
  static void launch() {
    chromium = Chromium.launch("--font-render-hinting=none", "--disable-lcd-text");
  }

  @AfterAll
  static void close() {
    chromium.close();
  }

  static Stream<Arguments> screens() {
    Screen calm = new Screen("home-calm", "/", "calm.json", ".services tbody tr");
    Screen trouble = new Screen("home-in-trouble", "/", "trouble.json", ".verdict li");
    Screen service = new Screen("service", "/services/orders", "trouble.json", ".charts canvas");
    Screen failures =
        new Screen("failures", "/failed", "trouble.json", ".replays ~ .group .group-head");
    return Stream.of(
        Arguments.of(calm, WIDE),
        Arguments.of(calm, Look.PHONE),
        Arguments.of(trouble, WIDE),
        Arguments.of(trouble, DARK),
        Arguments.of(trouble, Look.PHONE),
        Arguments.of(trouble, Look.ZOOMED),
        Arguments.of(service, WIDE),
        Arguments.of(service, DARK),
        Arguments.of(service, Look.PHONE),
        Arguments.of(failures, WIDE),
        Arguments.of(failures, Look.PHONE));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("screens")
  void looksAsItIsKept(Screen screen, Look look) throws IOException {
    try (BrowserContext profile = chromium.profile(look.options())) {
      profile.route(PageSource.ORIGIN + "/**", PicturesIT::serve);
      Page page = profile.newPage();
      page.addInitScript(PAGE.formatted(new String(data(screen.frame()), StandardCharsets.UTF_8)));
      page.clock().setFixedTime(Date.from(NOW));
      page.navigate(PageSource.ORIGIN + "/admin" + screen.path());
      page.locator(screen.shown()).first().waitFor();
      page.waitForFunction("() => document.fonts.ready && !document.querySelector('.waiting')");
      requireFonts(page);
      byte[] seen =
          page.screenshot(
              new Page.ScreenshotOptions()
                  .setAnimations(ScreenshotAnimations.DISABLED)
                  .setCaret(ScreenshotCaret.HIDE));
      page.navigate("about:blank"); // no request is open when the profile is closed
      compare(screen.name() + "-" + look, seen);
    }
  }

  /** The fonts of Debian's package fonts-dejavu-core. */
  private static void requireFonts(Page page) {
    boolean are = (Boolean) page.evaluate(HAS_FONT);
    String missing = "the fonts DejaVu Sans and DejaVu Sans Mono are not installed";
    if (System.getenv("CI") != null) {
      assertThat(are).as(missing).isTrue();
    }
    assumeTrue(are, missing);
  }

  private static void compare(String name, byte[] screenshot) throws IOException {
    Path kept = KEPT.resolve(name + ".png");
    BufferedImage now = Picture.half(ImageIO.read(new ByteArrayInputStream(screenshot)));
    if (Boolean.getBoolean("forebay.pictures.write")) {
      ImageIO.write(now, "png", kept.toFile());
      return;
    }
    assertThat(kept).as("written by %s", RENEW).exists();
    BufferedImage before = ImageIO.read(kept.toFile());
    if (before.getWidth() != now.getWidth() || before.getHeight() != now.getHeight()) {
      fail("%s has another size; if that is intended: %s", name, RENEW);
    }
    Picture picture = Picture.compare(before, now);
    if (!picture.isAlike()) {
      Files.createDirectories(DIFFERENT);
      Path drawn = DIFFERENT.resolve(name + ".png");
      ImageIO.write(picture.drawn(), "png", drawn.toFile());
      fail(
          "Screen %s differs from %s in %d of %d squares (at most %d may differ), at %s; look at %s (kept, seen, differences); if the change is intended: %s",
          name,
          kept.toAbsolutePath(),
          picture.different().size(),
          picture.squares(),
          picture.allowed(),
          picture.different().stream().limit(3).toList(),
          drawn.toAbsolutePath(),
          RENEW);
    }
  }

  @Test
  void anotherColourIsADifferenceAndTheEdgeOfALetterIsNone() {
    BufferedImage kept = drawn(new Color(0xb0231b), 0);
    assertThat(Picture.compare(kept, drawn(new Color(0xb0231b), 0)).different()).isEmpty();
    assertThat(Picture.compare(kept, drawn(new Color(0xb0231b), 1)).isAlike()).isTrue();
    assertThat(Picture.compare(kept, drawn(new Color(0x875300), 0)).isAlike()).isFalse();
    assertThat(Picture.compare(kept, drawn(new Color(0xb0231b), 20)).isAlike()).isFalse();
  }

  /** A panel with a border of 4 pixels at its left, and a word. */
  private static BufferedImage drawn(Color border, int wordLower) {
    BufferedImage image = new BufferedImage(1280, 800, BufferedImage.TYPE_INT_RGB);
    Graphics2D pen = image.createGraphics();
    pen.setColor(Color.WHITE);
    pen.fillRect(0, 0, 1280, 800);
    pen.setColor(border);
    pen.fillRect(20, 20, 4, 200);
    pen.setColor(Color.BLACK);
    for (int letter = 0; letter < 20; letter++) {
      pen.fillRect(40 + 8 * letter, 40 + wordLower, 1, 10);
    }
    pen.dispose();
    return Picture.half(image);
  }

  private static void serve(Route route) {
    String path = URI.create(route.request().url()).getPath();
    Route.FulfillOptions answer = new Route.FulfillOptions();
    try {
      if (path.startsWith("/admin/api/v1/")) {
        api(route, answer.setContentType("application/json"), path);
      } else if (path.startsWith("/admin")) {
        route.fulfill(answer.setContentType("text/html").setBody(PageSource.index("/files")));
      } else {
        String file = path.replaceFirst("^/files", "");
        byte[] bytes = PageSource.file(file);
        route.fulfill(
            answer
                .setContentType(PageSource.type(file))
                .setBodyBytes(file.equals("/app.css") ? with(bytes, STYLE) : bytes));
      }
    } catch (FileNotFoundException _) {
      route.fulfill(answer.setStatus(404));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void api(Route route, Route.FulfillOptions answer, String path)
      throws IOException {
    if (path.endsWith("/me")) {
      route.fulfill(answer.setBody(ME));
      return;
    }
    List<String> file =
        ANSWERS.entrySet().stream()
            .filter(it -> path.endsWith(it.getKey()))
            .map(Map.Entry::getValue)
            .toList();
    if (file.isEmpty()) {
      route.fulfill(answer.setStatus(404).setBody("{\"detail\": \"none in this test\"}"));
    } else {
      route.fulfill(answer.setBodyBytes(data(file.getFirst())));
    }
  }

  private static byte[] data(String name) throws IOException {
    return PageSource.resource(DATA + name);
  }

  private static byte[] with(byte[] bytes, String more) {
    return (new String(bytes, StandardCharsets.UTF_8) + more).getBytes(StandardCharsets.UTF_8);
  }
}
