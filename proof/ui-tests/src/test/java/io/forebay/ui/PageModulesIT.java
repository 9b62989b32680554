/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
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

  private static final String ORIGIN = "http://page.test";
  private static final List<String> MODULES = List.of("format.test.js", "sentences.test.js");

  private static Chromium chromium;
  private static BrowserContext profile;
  private static Page page;

  @BeforeAll
  static void open() {
    chromium = Chromium.launch();
    profile = chromium.profile(new Browser.NewContextOptions());
    profile.route(ORIGIN + "/**", PageModulesIT::serve);
    page = profile.newPage();
    page.navigate(ORIGIN + "/");
  }

  @AfterAll
  static void close() {
    profile.close();
    chromium.close();
  }

  @TestFactory
  Stream<DynamicContainer> everyExportedTestPasses() {
    return MODULES.stream()
        .map(module -> DynamicContainer.dynamicContainer(module, tests("/unit/" + module)));
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

  /** Files below {@code /app} are those of the admin page, files below {@code /unit} the tests. */
  private static void serve(Route route) {
    String path = URI.create(route.request().url()).getPath();
    String resource =
        path.startsWith("/app/") ? "/io/forebay/admin/page" + path : "/io/forebay/ui" + path;
    Route.FulfillOptions answer = new Route.FulfillOptions();
    if (path.equals("/")) {
      route.fulfill(answer.setContentType("text/html").setBody("<!doctype html><title>a</title>"));
      return;
    }
    try (InputStream file = PageModulesIT.class.getResourceAsStream(resource)) {
      if (file == null) {
        route.fulfill(answer.setStatus(404));
        return;
      }
      route.fulfill(
          answer
              .setContentType(path.endsWith(".json") ? "application/json" : "text/javascript")
              .setBodyBytes(file.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
