/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Writes each entry of the audit to a logger of its own, after it is committed, for systems that
 * collect logs. The fields are key-value pairs; their names are in {@code docs/security.md}.
 */
final class AuditLog {

  /** Its name is public: configurations of logging use it. */
  private static final Logger log = LoggerFactory.getLogger("io.forebay.audit");

  private AuditLog() {}

  static void write(AuditRow row, long number) {
    Audit.Entry entry = row.entry();
    Actor actor = entry.actor();
    LoggingEventBuilder line =
        log.atInfo()
            .addKeyValue("audit.number", number)
            .addKeyValue("audit.at", row.at().toString())
            .addKeyValue("audit.kind", actor.kind().text())
            .addKeyValue("audit.actor", actor.name())
            .addKeyValue("audit.role", actor.role())
            .addKeyValue("audit.address", actor.address())
            .addKeyValue("audit.action", entry.action())
            .addKeyValue("audit.target", entry.target())
            .addKeyValue("audit.reason", entry.reason())
            .addKeyValue("audit.outcome", entry.outcome());
    Audit.Change change = entry.change();
    for (Audit.Field field : change.fields()) {
      line =
          line.addKeyValue("audit.before." + field.name(), field.before())
              .addKeyValue("audit.after." + field.name(), field.after());
    }
    line.log(
        "Audit {}: {} {} ({}, {}) {} {}: {}{}",
        number,
        actor.kind().text(),
        actor.name(),
        actor.role(),
        actor.address(),
        entry.action(),
        entry.target(),
        entry.outcome(),
        change.isNone() ? "" : " (" + change.text() + ")");
  }
}
