/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import java.util.regex.Pattern;

/**
 * Hides possible secrets in properties: values whose name suggests a secret, and the user and the
 * parameters of URLs, and the path of webhooks.
 */
public final class Secrets {

  private static final Pattern SECRET =
      Pattern.compile(
          ".*(password|passphrase|secret|token|credential|key|jaas).*", Pattern.CASE_INSENSITIVE);
  private static final Pattern URL =
      Pattern.compile("(?i)(jdbc:.*|[a-z][a-z0-9+.-]*://.*)", Pattern.DOTALL);

  /** Matches up to the last at sign, because a password may contain any character. */
  private static final Pattern USER =
      Pattern.compile("(?is)^((?:jdbc:)?[a-z0-9+.:-]*?:(?://)?).*@");

  private static final Pattern NAMED =
      Pattern.compile("(?is).*(password|passphrase|secret|token)\\s*[=:].*|.*://.*@.*");

  /** The path of such an address is often a secret. */
  private static final Pattern WEBHOOK = Pattern.compile(".*webhook.*", Pattern.CASE_INSENSITIVE);

  private static final Pattern PATH = Pattern.compile("(?is)^([a-z][a-z0-9+.-]*://[^/]*)/.+");

  private static final Pattern PARAMETERS = Pattern.compile("(?s)[?;].*");

  private Secrets() {}

  /** The value of a property as it may be shown. True and false are no secrets. */
  public static String hidden(String key, String value) {
    if (value.equals("true") || value.equals("false")) {
      return value;
    }
    boolean url = URL.matcher(value).matches();
    if (SECRET.matcher(key).matches() || !url && NAMED.matcher(value).matches()) {
      return "(not shown)";
    }
    if (!url) {
      return value;
    }
    String shown = PARAMETERS.matcher(USER.matcher(value).replaceFirst("$1")).replaceFirst("");
    return WEBHOOK.matcher(key).matches() ? PATH.matcher(shown).replaceFirst("$1/…") : shown;
  }
}
