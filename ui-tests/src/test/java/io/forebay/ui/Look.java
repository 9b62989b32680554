/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.options.ColorScheme;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;

/** How somebody looks at the page. */
record Look(ColorScheme scheme, int width) {

  static final Look USUAL = new Look(ColorScheme.LIGHT, 1440);

  static final Look NARROW = new Look(ColorScheme.DARK, 320);

  /** Two that have both schemes and both widths, for screens that are alike others in the rest. */
  static Stream<Look> two() {
    return Stream.of(USUAL, NARROW);
  }

  static Stream<Look> all() {
    return Arrays.stream(new ColorScheme[] {ColorScheme.LIGHT, ColorScheme.DARK})
        .flatMap(scheme -> Stream.of(new Look(scheme, 1440), new Look(scheme, 320)));
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
