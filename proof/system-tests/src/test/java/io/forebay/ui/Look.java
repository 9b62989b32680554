/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.options.ColorScheme;
import java.util.Locale;
import java.util.stream.Stream;

/** A window size and a colour scheme. */
record Look(ColorScheme scheme, int width, int height) {

  static final Look USUAL = new Look(ColorScheme.LIGHT, 1440, 900);

  static final Look NARROW = new Look(ColorScheme.DARK, 320, 800);

  static final Look PHONE = new Look(ColorScheme.LIGHT, 390, 844);

  /** What a window of 1280 × 800 has room for when its page is shown at twice its size. */
  static final Look ZOOMED = new Look(ColorScheme.LIGHT, 640, 400);

  /** A light and wide look, and a dark and narrow one. */
  static Stream<Look> two() {
    return Stream.of(USUAL, NARROW);
  }

  /** The light and wide look; with {@code -Dforebay.ui.long=true} both. */
  static Stream<Look> usual() {
    return Boolean.getBoolean("forebay.ui.long") ? two() : Stream.of(USUAL);
  }

  Browser.NewContextOptions options() {
    return new Browser.NewContextOptions().setColorScheme(scheme).setViewportSize(width, height);
  }

  /** The suffix of names of files and tests. */
  @Override
  public String toString() {
    return scheme.name().toLowerCase(Locale.ROOT) + "-" + width;
  }
}
