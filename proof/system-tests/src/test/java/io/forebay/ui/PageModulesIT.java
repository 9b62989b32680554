/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs the unit tests of the page's modules: each function that a module of {@code unit} exports is
 * a test. No server runs; the modules come from the class path.
 */
@NeedsChromium
class PageModulesIT {

  private static Chromium chromium;
  private static BrowserContext profile;
  private static Page page;

  @BeforeAll
  static void open() {
    chromium = Chromium.launch();
    profile = chromium.profile(new Browser.NewContextOptions());
    profile.route(PageSource.ORIGIN + "/**", PageModulesIT::serve);
    page = profile.newPage();
    page.navigate(PageSource.ORIGIN + "/");
  }

  @AfterAll
  static void close() {
    profile.unrouteAll(); // a request of the page may be on its way while the profile closes
    profile.close();
    chromium.close();
  }

  @TestFactory
  Stream<DynamicContainer> everyExportedTestPasses() throws IOException, URISyntaxException {
    Path folder = Path.of(PageModulesIT.class.getResource("unit").toURI());
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".test.js"))
          .sorted()
          .toList()
          .stream()
          .map(module -> DynamicContainer.dynamicContainer(module, tests("/unit/" + module)));
    }
  }

  private static Stream<DynamicTest> tests(String module) {
    List<?> names =
        (List<?>) page.evaluate("async (module) => Object.keys(await import(module))", module);
    if (names.isEmpty()) {
      throw new IllegalStateException(module + " exports no test");
    }
    return names.stream()
        .map(name ->
            DynamicTest.dynamicTest(
                name.toString(),
                () ->
                    page.evaluate(
                        "async ([module, name]) => { await (await import(module))[name](); }",
                        List.of(module, name))));
  }

  /** Files below {@code /unit} are the tests, all others are those of the admin page. */
  private static void serve(Route route) {
    String path = URI.create(route.request().url()).getPath();
    Route.FulfillOptions answer = new Route.FulfillOptions();
    try {
      if (path.equals("/")) {
        route.fulfill(answer.setContentType("text/html").setBody(importMap()));
        return;
      }
      byte[] file =
          path.startsWith("/unit/")
              ? PageSource.resource("/io/forebay/ui" + path)
              : PageSource.file(path);
      route.fulfill(answer.setContentType(PageSource.type(path)).setBodyBytes(file));
    } catch (FileNotFoundException _) {
      route.fulfill(answer.setStatus(404));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The import map of the page, whose files are at the root here. */
  private static String importMap() throws IOException {
    String page = PageSource.index("");
    int begin = page.indexOf("<script type=\"importmap\">");
    return "<!doctype html>"
        + page.substring(begin, page.indexOf("</script>", begin))
        + "</script>";
  }
}
