/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import java.util.Locale;

/** An alert opened, got worse or closed. */
record AlertChange(AlertRecord alert, Event event) {

  enum Event {
    OPENED,
    WORSE,
    CLOSED
  }

  /** The same for every attempt to report this change. */
  String id() {
    return "%s~%d~%s"
        .formatted(
            alert.id(), alert.opened().toEpochMilli(), event.name().toLowerCase(Locale.ROOT));
  }
}
