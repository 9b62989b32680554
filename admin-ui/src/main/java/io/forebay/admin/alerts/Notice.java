/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import java.util.Locale;

/** A change of an alert that is to be reported. */
record Notice(AlertRecord alert, Event event) {

  enum Event {
    OPENED,
    WORSE,
    CLOSED
  }

  /** The same for every attempt to report this change, also after a restart. */
  String id() {
    return "%s~%d~%s"
        .formatted(
            alert.id(), alert.opened().toEpochMilli(), event.name().toLowerCase(Locale.ROOT));
  }
}
