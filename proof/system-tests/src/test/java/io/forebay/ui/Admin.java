/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.PlaywrightException;
import com.microsoft.playwright.TimeoutError;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.LoadState;
import com.microsoft.playwright.options.WaitForSelectorState;
import io.forebay.app.ForebayProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** The admin page of a process, and its first user, who has changed the password. */
final class Admin {

  static final String USER = "admin";
  static final String PASSWORD = "correct horse battery staple";

  /** Longer than any page takes on a machine that runs other tests, too. */
  private static final Duration SLOW_MACHINE = Duration.ofSeconds(90);

  private static final Duration LOOK_AGAIN = Duration.ofSeconds(5);

  private static final String STATE =
      """
      async () => {
        const main = document.querySelector('script[type=module]').src;
        const late = new Promise((_, reject) => setTimeout(() => reject('store.js is not loaded'), 5000));
        const {me, link, frame, age} = await Promise.race([import(new URL('store.js', main)), late]);
        return JSON.stringify({me: me.value, link: link.value, frame: frame.value?.seq, age: age.value})
          + document.body.innerText.slice(0, 200);
      }\
      """;

  private final Chromium chromium;
  private final ForebayProcess forebay;
  private final String address;
  private final String session;

  private Admin(Chromium chromium, ForebayProcess forebay, String session) {
    this.chromium = chromium;
    this.forebay = forebay;
    this.address = forebay.address();
    this.session = session;
  }

  /** Starts a process with the demo. */
  static ForebayProcess demo(Path data, String... arguments) throws IOException {
    String[] all = new String[arguments.length + 1];
    all[0] = "--spring.profiles.active=demo";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return ForebayProcess.start(data, all);
  }

  /** Logs in with the first password and changes it, as a user would. */
  static Admin of(Chromium chromium, ForebayProcess forebay) throws InterruptedException {
    try (BrowserContext profile = chromium.profile(Look.USUAL.options())) {
      Page page = login(profile, forebay);
      page.getByLabel("Password").fill(forebay.password());
      button(page, "Log in");
      page.getByText("Use 12 to 200 characters").waitFor();
      page.locator("#old").fill(forebay.password());
      page.locator("#fresh").fill(PASSWORD);
      page.locator("#again").fill(PASSWORD);
      button(page, "Change password");
      page.locator("header.topbar").waitFor();
      return new Admin(chromium, forebay, profile.storageState());
    }
  }

  /** Logs in with the password that was already changed, at any process. */
  static Admin again(Chromium chromium, ForebayProcess forebay) throws InterruptedException {
    try (BrowserContext profile = chromium.profile(Look.USUAL.options())) {
      Page page = login(profile, forebay);
      complete(page);
      return new Admin(chromium, forebay, profile.storageState());
    }
  }

  private static void complete(Page page) {
    page.getByLabel("Password").fill(PASSWORD);
    button(page, "Log in");
    page.locator("header.topbar").waitFor();
  }

  private static Page login(BrowserContext profile, ForebayProcess forebay) {
    Page page = profile.newPage();
    loginForm(page, forebay);
    return page;
  }

  private static void loginForm(Page page, ForebayProcess forebay) {
    Locator user = page.getByLabel("User");
    load(page, forebay, "http://" + forebay.address() + "/admin/", user);
    user.fill(USER);
  }

  private static void button(Page page, String name) {
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true))
        .click();
  }

  /** The same with the login of this profile. */
  Admin with(BrowserContext profile) {
    return new Admin(chromium, forebay, profile.storageState());
  }

  /** A browser profile in which the user is logged in. */
  BrowserContext profile(Browser.NewContextOptions options) {
    return chromium.profile(options.setStorageState(session));
  }

  /** A browser profile in which nobody is logged in. */
  BrowserContext stranger(Browser.NewContextOptions options) {
    return chromium.profile(options);
  }

  String url(String path) {
    return "http://" + address + "/admin" + path;
  }

  /** Opens a screen and waits until it shows current figures. */
  void open(Page page, String path) {
    load(page, path, page.locator("html[data-fresh=live]"));
    page.waitForLoadState(LoadState.LOAD);
    page.locator("main h1, main h2").first().waitFor();
  }

  /** Opens a screen and waits until it shows an element. */
  void load(Page page, String path, Locator wanted) {
    load(page, forebay, url(path), wanted);
  }

  /** Loads again if requests were lost with the network. */
  private static void load(Page page, ForebayProcess forebay, String url, Locator wanted) {
    Requests requests = Requests.of(page);
    navigate(page, url);
    long deadline = System.nanoTime() + SLOW_MACHINE.toNanos();
    while (!isThere(wanted)) {
      if (System.nanoTime() - deadline > 0) {
        System.out.println(forebay.process().threads()); // what keeps the server from answering
        throw new AssertionError(
            "%s does not show %s; state of the page: %s; %s"
                .formatted(url, wanted, page.evaluate(STATE), requests));
      }
      if (requests.areLostWithTheNetwork()) {
        System.out.println(url + " is loaded again, the network changed; " + requests);
        requests.clear();
        navigate(page, url);
      }
    }
  }

  /** Returns also if the request is lost with the network. */
  private static void navigate(Page page, String url) {
    try {
      page.navigate(url);
    } catch (PlaywrightException e) {
      if (!e.getMessage().contains(Requests.NETWORK_CHANGED)) {
        throw e;
      }
    }
  }

  private static boolean isThere(Locator wanted) {
    try {
      wanted.waitFor(
          new Locator.WaitForOptions()
              .setState(WaitForSelectorState.ATTACHED)
              .setTimeout(LOOK_AGAIN.toMillis()));
      return true;
    } catch (TimeoutError e) {
      return false;
    }
  }
}
