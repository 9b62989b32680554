/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.operations.DesiredState;
import io.forebay.operations.DesiredStates;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataIntegrityViolationException;

/**
 * Stores the desired states of services in the system database. Thread-safe.
 *
 * <p>The end of a pause counts only with the time at which that pause began: an older version,
 * which knows no ends, leaves both unchanged when it stores another state.
 */
public final class DesiredStateTable implements DesiredStates {

  private static final String PAUSED = "PAUSED";
  private static final String RUNNING = "RUNNING";
  private static final int REASON_LENGTH = 1_000;
  private static final String SELECT =
      "select service, desired, reason, changed_by, changed_at,"
          + " case when ends_pause_of = changed_at then ends_at end from forebay.service_state";
  private static final String INSERT =
      "insert into forebay.service_state (desired, reason, changed_by, changed_at, ends_at,"
          + " ends_pause_of, service) values (?, ?, ?, ?, ?, ?, ?)";
  private static final String UPDATE =
      "update forebay.service_state set desired = ?, reason = ?, changed_by = ?, changed_at = ?,"
          + " ends_at = ?, ends_pause_of = ? where service = ?";
  private static final String UNLESS_PAUSED =
      " and (desired <> '" + PAUSED + "' or changed_at >= ? and changed_at < ?)";
  private static final String IF_STILL = " and desired = '" + PAUSED + "' and changed_at = ?";
  private static final String WITH_END = " and ends_pause_of = changed_at and ends_at = ?";

  private final SystemDatabase database;

  public DesiredStateTable(SystemDatabase database) {
    this.database = database;
  }

  @Override
  public List<DesiredState> all() {
    return database.ask(ask -> ask.sql(SELECT).query((row, _) -> state(row)).list());
  }

  private static DesiredState state(ResultSet row) throws SQLException {
    OffsetDateTime until = row.getObject(6, OffsetDateTime.class);
    return new DesiredState(
        row.getString(1),
        row.getString(2).equals(PAUSED),
        row.getString(3),
        row.getString(4),
        row.getObject(5, OffsetDateTime.class).toInstant(),
        until == null ? null : until.toInstant());
  }

  @Override
  public void keep(DesiredState desired) {
    try {
      put(desired);
    } catch (DataIntegrityViolationException _) {
      put(desired); // another instance has just inserted the row
    }
  }

  @Override
  public Optional<DesiredState> pause(DesiredState desired, @Nullable Instant replaces) {
    try {
      return putUnlessPaused(desired, replaces);
    } catch (DataIntegrityViolationException _) {
      return putUnlessPaused(desired, replaces); // another instance has just inserted the row
    }
  }

  /**
   * Each statement is a transaction. Of two updates of a row at the same time, the later one sees
   * the earlier one's pause.
   */
  private Optional<DesiredState> putUnlessPaused(DesiredState desired, @Nullable Instant replaces) {
    Instant seen = replaces == null ? Instant.EPOCH : replaces.truncatedTo(ChronoUnit.MILLIS);
    List<@Nullable Object> parameters = new ArrayList<>(parameters(desired));
    parameters.add(seen.atOffset(ZoneOffset.UTC));
    parameters.add(seen.plusMillis(1).atOffset(ZoneOffset.UTC));
    if (database.command(ask -> ask.sql(UPDATE + UNLESS_PAUSED).params(parameters).update()) == 1) {
      return Optional.empty();
    }
    Optional<DesiredState> found =
        database.command(ask ->
            ask.sql(SELECT + " where service = ?")
                .param(desired.service())
                .query((row, _) -> state(row))
                .optional());
    if (found.isEmpty()) {
      database.command(ask -> ask.sql(INSERT).params(parameters(desired)).update());
      return found;
    }
    boolean resumedMeanwhile = !found.get().paused();
    return resumedMeanwhile ? putUnlessPaused(desired, replaces) : found;
  }

  @Override
  public boolean end(DesiredState pause, DesiredState running) {
    List<@Nullable Object> parameters = new ArrayList<>(parameters(running));
    parameters.add(time(pause.at()));
    String still = IF_STILL;
    if (pause.until() != null) {
      still += WITH_END;
      parameters.add(time(pause.until()));
    }
    String sql = UPDATE + still;
    return database.command(ask -> ask.sql(sql).params(parameters).update()) == 1;
  }

  private void put(DesiredState desired) {
    database.commandInTransaction(ask -> {
      int updated = ask.sql(UPDATE).params(parameters(desired)).update();
      return updated == 1 ? updated : ask.sql(INSERT).params(parameters(desired)).update();
    });
  }

  private static @Nullable OffsetDateTime time(@Nullable Instant instant) {
    return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
  }

  private static List<@Nullable Object> parameters(DesiredState desired) {
    String reason = desired.reason();
    return Arrays.asList(
        desired.paused() ? PAUSED : RUNNING,
        reason.length() > REASON_LENGTH ? reason.substring(0, REASON_LENGTH) : reason,
        desired.by(),
        time(desired.at()),
        time(desired.until()),
        desired.until() == null ? null : time(desired.at()),
        desired.service());
  }
}
