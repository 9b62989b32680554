/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.text.OneLine;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * An entry with exactly the texts and the time that the database keeps.
 *
 * @param at in whole microseconds
 */
record AuditRow(Instant at, Audit.Entry entry) {

  static final String COLUMNS =
      "created_at, actor_kind, actor, role, address, action, target, reason, outcome, changes";

  /** The texts cut to the lengths of their columns. */
  static AuditRow of(Instant at, Audit.Entry entry) {
    Actor actor = entry.actor();
    return new AuditRow(
        at.truncatedTo(ChronoUnit.MICROS),
        new Audit.Entry(
            new Actor(
                actor.kind(),
                OneLine.of(actor.name(), 255),
                OneLine.of(actor.role(), 20),
                OneLine.of(actor.address(), 100)),
            OneLine.of(entry.action(), 100),
            OneLine.of(entry.target(), 2_000),
            OneLine.of(entry.reason(), 5_000),
            OneLine.of(entry.outcome(), 500),
            entry.change()));
  }

  static AuditRow read(ResultSet row) throws SQLException {
    return new AuditRow(
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        new Audit.Entry(
            new Actor(
                Actor.Kind.ofText(row.getString("actor_kind")),
                row.getString("actor"),
                row.getString("role"),
                row.getString("address")),
            row.getString("action"),
            row.getString("target"),
            row.getString("reason"),
            row.getString("outcome"),
            Audit.Change.ofLines(row.getString("changes"))));
  }

  /** The texts in the order of {@link #COLUMNS}, without those of the change. */
  List<String> texts() {
    Actor actor = entry.actor();
    return List.of(
        actor.kind().text(),
        actor.name(),
        actor.role(),
        actor.address(),
        entry.action(),
        entry.target(),
        entry.reason(),
        entry.outcome());
  }
}
