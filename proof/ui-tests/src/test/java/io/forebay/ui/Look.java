/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.options.ColorScheme;
import java.util.Locale;
import java.util.stream.Stream;

/** How somebody looks at the page. */
record Look(ColorScheme scheme, int width) {

  static final Look USUAL = new Look(ColorScheme.LIGHT, 1440);

  static final Look NARROW = new Look(ColorScheme.DARK, 320);

  /** Both schemes and both widths. */
  static Stream<Look> two() {
    return Stream.of(USUAL, NARROW);
  }

  Browser.NewContextOptions options() {
    return new Browser.NewContextOptions()
        .setColorScheme(scheme)
        .setViewportSize(width, width < 600 ? 800 : 900);
  }

  /** For the names of files and tests. */
  @Override
  public String toString() {
    return scheme.name().toLowerCase(Locale.ROOT) + "-" + width;
  }
}
