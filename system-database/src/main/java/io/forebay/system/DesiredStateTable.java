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

/** Stores the desired states of services in the system database. Thread-safe. */
public final class DesiredStateTable implements DesiredStates {

  private static final String PAUSED = "PAUSED";
  private static final String RUNNING = "RUNNING";
  private static final int REASON_LENGTH = 1_000;
  private static final String SELECT =
      "select service, desired, reason, changed_by, changed_at, ends_at, first_at, first_by,"
          + " first_reason from forebay.service_state";
  private static final String INSERT =
      "insert into forebay.service_state (desired, reason, changed_by, changed_at, ends_at,"
          + " service) values (?, ?, ?, ?, ?, ?)";
  private static final String UPDATE =
      "update forebay.service_state set desired = ?, reason = ?, changed_by = ?, changed_at = ?,"
          + " ends_at = ?";
  private static final String FORGETTING_FIRST = ", first_at = null";
  private static final String SERVICE = " where service = ?";

  /** Reads the columns of the pause that is replaced. */
  private static final String KEEPING_FIRST =
      ", first_at = case when desired <> '"
          + PAUSED
          + "' then null else coalesce(first_at, changed_at) end,"
          + " first_by = case when first_at is null then changed_by else first_by end,"
          + " first_reason = case when first_at is null then reason else first_reason end";

  private static final String UNLESS_PAUSED =
      " and (desired <> '" + PAUSED + "' or changed_at >= ? and changed_at < ?)";
  private static final String IF_STILL = " and desired = '" + PAUSED + "' and changed_at = ?";
  private static final String WITH_END = " and ends_at = ?";

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
    OffsetDateTime first = row.getObject(7, OffsetDateTime.class);
    return new DesiredState(
        row.getString(1),
        row.getString(2).equals(PAUSED),
        row.getString(3),
        row.getString(4),
        row.getObject(5, OffsetDateTime.class).toInstant(),
        until == null ? null : until.toInstant(),
        first == null
            ? null
            : new DesiredState.Begin(first.toInstant(), row.getString(8), row.getString(9)));
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
  public DesiredState pause(DesiredState desired, @Nullable Instant replaces) {
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
  private DesiredState putUnlessPaused(DesiredState desired, @Nullable Instant replaces) {
    Instant seen = replaces == null ? Instant.EPOCH : replaces.truncatedTo(ChronoUnit.MILLIS);
    List<@Nullable Object> parameters = new ArrayList<>(parameters(desired));
    parameters.add(time(seen));
    parameters.add(time(seen.plusMillis(1)));
    String sql = UPDATE + KEEPING_FIRST + SERVICE + UNLESS_PAUSED;
    boolean stored = database.command(ask -> ask.sql(sql).params(parameters).update()) == 1;
    Optional<DesiredState> found =
        database.command(ask ->
            ask.sql(SELECT + SERVICE)
                .param(desired.service())
                .query((row, _) -> state(row))
                .optional());
    if (stored) {
      return found
          .filter(it -> it.at().equals(desired.at())) // it may be replaced or resumed by now
          .map(it -> desired.withFirst(it.first()))
          .orElse(desired);
    }
    if (found.isEmpty()) {
      database.command(ask -> ask.sql(INSERT).params(parameters(desired)).update());
      return desired;
    }
    boolean resumedMeanwhile = !found.get().paused();
    return resumedMeanwhile ? putUnlessPaused(desired, replaces) : found.get();
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
    String sql = UPDATE + FORGETTING_FIRST + SERVICE + still;
    return database.command(ask -> ask.sql(sql).params(parameters).update()) == 1;
  }

  private void put(DesiredState desired) {
    database.commandInTransaction(ask -> {
      int updated =
          ask.sql(UPDATE + FORGETTING_FIRST + SERVICE).params(parameters(desired)).update();
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
        desired.service());
  }
}
