/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.batch.jobs.JobDescription.Type;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.CronExpression;

class ScheduleTest {

  private static Schedule schedule(String cron, Type type) {
    return new Schedule(
        "nightly",
        "job",
        CronExpression.parse(cron),
        ZoneId.of("Europe/Berlin"),
        Map.of("a", "b"),
        "day",
        type,
        Duration.ofHours(1),
        null);
  }

  private static List<String> due(String cron, String from, int count) {
    List<String> due = new ArrayList<>();
    Instant time = Instant.parse(from);
    for (int i = 0; i < count; i++) {
      time = schedule(cron, Type.TEXT).next(time);
      due.add(time.toString());
    }
    return due;
  }

  @Test
  void aTimeThatSummerTimeLeavesOutIsNotDueAndARepeatedTimeIsDueTwice() {
    assertThat(due("0 30 2 * * *", "2026-03-27T12:00:00Z", 2))
        .containsExactly("2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z");
    assertThat(due("0 30 2 * * *", "2026-10-24T12:00:00Z", 3))
        .containsExactly("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z");
    assertThat(due("0 30 3 * * *", "2026-03-28T12:00:00Z", 1))
        .containsExactly("2026-03-29T01:30:00Z");
    assertThat(due("0 0 * * * *", "2026-10-24T23:30:00Z", 3))
        .containsExactly("2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z");
  }

  @Test
  void onlyTheLastDueTimeWithinItsAgeMayStart() {
    Schedule hourly = schedule("0 */20 * * * *", Type.TEXT);
    Instant now = Instant.parse("2026-11-23T12:30:00Z");
    assertThat(hourly.last(Instant.parse("2026-11-01T00:00:00Z"), now))
        .isEqualTo("2026-11-23T12:20:00Z");
    assertThat(hourly.last(Instant.parse("2026-11-23T12:20:00Z"), now)).isNull();
    assertThat(schedule("0 0 10 * * *", Type.TEXT).last(Instant.parse("2026-11-01T00:00:00Z"), now))
        .as("at 09:00 UTC, more than an hour ago")
        .isNull();
  }

  @Test
  void theDueTimeIsAParameterOfTheTypeThatTheJobDeclares() {
    Instant due = Instant.parse("2026-11-23T23:30:00.5Z");
    assertThat(schedule("0 0 * * * *", Type.DATE).parameters(due))
        .containsEntry("day", "2026-11-24")
        .containsEntry("a", "b");
    assertThat(schedule("0 0 * * * *", Type.TIME).parameters(due))
        .containsEntry("day", "2026-11-24T00:30");
    assertThat(schedule("0 0 * * * *", Type.TEXT).parameters(due))
        .containsEntry("day", "2026-11-23T23:30:00Z");
  }
}
