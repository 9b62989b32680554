/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import java.util.Locale;

/** What a request may be refused for. */
enum Limit {
  RATE,
  MAX_REQUESTS,
  MAX_LOOK_UPS;

  /** As in the configuration. */
  String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
