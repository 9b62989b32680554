/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.operations.DesiredState;
import io.forebay.operations.DesiredStates;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.springframework.dao.DataIntegrityViolationException;

/** Stores the desired states of services in the system database. Thread-safe. */
public final class DesiredStateTable implements DesiredStates {

  private static final String PAUSED = "PAUSED";
  private static final String RUNNING = "RUNNING";
  private static final int REASON_LENGTH = 1_000;

  private final SystemDatabase database;

  public DesiredStateTable(SystemDatabase database) {
    this.database = database;
  }

  @Override
  public List<DesiredState> all() {
    return database.ask(ask ->
        ask.sql(
                "select service, desired, reason, changed_by, changed_at"
                    + " from forebay.service_state")
            .query((row, _) -> state(row))
            .list());
  }

  private static DesiredState state(ResultSet row) throws SQLException {
    return new DesiredState(
        row.getString(1),
        row.getString(2).equals(PAUSED),
        row.getString(3),
        row.getString(4),
        row.getObject(5, OffsetDateTime.class).toInstant());
  }

  @Override
  public void keep(DesiredState desired) {
    try {
      put(desired);
    } catch (DataIntegrityViolationException _) {
      put(desired); // another instance has just inserted the row
    }
  }

  private void put(DesiredState desired) {
    database.commandInTransaction(ask -> {
      int updated =
          ask.sql(
                  "update forebay.service_state set desired = ?, reason = ?, changed_by = ?,"
                      + " changed_at = ? where service = ?")
              .params(parameters(desired))
              .update();
      return updated == 1
          ? updated
          : ask.sql(
                  "insert into forebay.service_state (desired, reason, changed_by, changed_at,"
                      + " service) values (?, ?, ?, ?, ?)")
              .params(parameters(desired))
              .update();
    });
  }

  private static List<Object> parameters(DesiredState desired) {
    String reason = desired.reason();
    return List.of(
        desired.paused() ? PAUSED : RUNNING,
        reason.length() > REASON_LENGTH ? reason.substring(0, REASON_LENGTH) : reason,
        desired.by(),
        desired.at().atOffset(ZoneOffset.UTC),
        desired.service());
  }
}
