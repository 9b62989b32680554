/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import java.util.regex.Pattern;

/** The address of a database as the page may show it: without user, password and parameters. */
final class DatabaseAddress {

  private static final Pattern URL =
      Pattern.compile("(?is)jdbc:[a-z0-9+.:-]*:.*|[a-z][a-z0-9+.-]*://.*");

  /** Matches up to the last at sign, because a password may contain any character. */
  private static final Pattern USER =
      Pattern.compile("(?is)^((?:jdbc:)?[a-z0-9+.:-]*?:(?://)?).*@");

  private static final Pattern PARAMETERS = Pattern.compile("(?s)[?;].*");

  private DatabaseAddress() {}

  /** What is no URL is not shown at all. */
  static String of(String url) {
    return URL.matcher(url).matches()
        ? PARAMETERS
            .matcher(USER.matcher(url).replaceFirst("$1"))
            .replaceFirst("")
            .replaceFirst("^jdbc:", "")
        : "(not shown)";
  }
}
