/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import io.forebay.testing.MachineAddresses;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The distribution's Chromium, headless. For one thread, like Playwright. */
final class Chromium implements AutoCloseable {

  static final List<Path> PLACES =
      List.of(
          Path.of(System.getProperty("forebay.chromium", "/usr/bin/chromium-headless-shell")),
          Path.of("/usr/bin/chromium"),
          Path.of("/usr/bin/chromium-browser"),
          Path.of("/usr/bin/google-chrome"));

  /** A long time-out for busy machines. */
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  /** Among others, they prevent connections to other machines. */
  private static final List<String> FLAGS =
      List.of(
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync");

  private final MachineAddresses addresses;
  private final Playwright playwright;
  private final Browser browser;

  private Chromium(MachineAddresses addresses, Playwright playwright, Browser browser) {
    this.addresses = addresses;
    this.playwright = playwright;
    this.browser = browser;
  }

  static Optional<Path> executable() {
    return PLACES.stream().filter(Files::isExecutable).findFirst();
  }

  static Chromium launch(String... moreFlags) {
    MachineAddresses addresses = MachineAddresses.keep();
    Playwright playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    return new Chromium(
        addresses,
        playwright,
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(executable().orElseThrow())
                    .setArgs(Stream.concat(FLAGS.stream(), Arrays.stream(moreFlags)).toList())));
  }

  /** A new profile: no cookies, nothing cached. */
  BrowserContext profile(Browser.NewContextOptions options) {
    BrowserContext profile = browser.newContext(options.setLocale("en-GB").setTimezoneId("UTC"));
    profile.setDefaultTimeout(PATIENCE.toMillis());
    return profile;
  }

  @Override
  public void close() {
    try (addresses;
        playwright;
        browser) {
      // Each is closed, also if closing another one fails.
    }
  }
}
