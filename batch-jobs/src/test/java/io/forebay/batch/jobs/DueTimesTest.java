/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.batch.jobs.Schedules.DueTimes;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.CronExpression;

class DueTimesTest {

  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  private static DueTimes times(String cron) {
    return new DueTimes(CronExpression.parse(cron), BERLIN);
  }

  private static List<String> after(String cron, String from, int count) {
    DueTimes times = times(cron);
    return Stream.iterate(times.next(OffsetDateTime.parse(from).toInstant()), times::next)
        .limit(count)
        .map(due -> OffsetDateTime.ofInstant(due, BERLIN).toString())
        .toList();
  }

  @Test
  void aTimeOfTheRepeatedHourIsDueTwice() {
    assertThat(after("0 30 2 * * *", "2026-10-24T12:00+02:00", 3))
        .containsExactly(
            "2026-10-25T02:30+02:00", "2026-10-25T02:30+01:00", "2026-10-26T02:30+01:00");
    assertThat(after("0 0 * * * *", "2026-10-25T01:30+02:00", 3))
        .containsExactly(
            "2026-10-25T02:00+02:00", "2026-10-25T02:00+01:00", "2026-10-25T03:00+01:00");
  }

  @Test
  void timesOfTheMissingHourAreDueOnceAtItsEnd() {
    assertThat(after("0 30 2 * * *", "2026-03-28T12:00+01:00", 2))
        .containsExactly("2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00");
    assertThat(after("0 0,20,40 * * * *", "2026-03-29T01:40+01:00", 3))
        .containsExactly(
            "2026-03-29T03:00+02:00", "2026-03-29T03:20+02:00", "2026-03-29T03:40+02:00");
  }

  @Test
  void timesAreDueOnOtherDaysAndInZonesWithoutDaylightSaving() {
    assertThat(after("0 30 1 * * MON-FRI", "2026-11-27T01:30+01:00", 1))
        .containsExactly("2026-11-30T01:30+01:00");
    assertThat(
            new DueTimes(CronExpression.parse("0 0 5 * * *"), ZoneId.of("UTC"))
                .next(Instant.parse("2026-11-27T05:00:00Z")))
        .isEqualTo("2026-11-28T05:00:00Z");
  }

  @Test
  void ofMissedTimesTheLastOneCounts() {
    DueTimes times = times("0 30 2 * * *");
    Instant first = Instant.parse("2026-11-20T01:30:00Z");
    assertThat(times.last(first, Instant.parse("2026-11-23T01:30:00Z")))
        .isEqualTo("2026-11-23T01:30:00Z");
    assertThat(times.last(first, first.minusSeconds(5))).isEqualTo(first);
  }

  @Test
  void aDayThatDoesNotExistIsNeverDue() {
    assertThatThrownBy(() -> times("0 0 0 30 2 *").next(Instant.EPOCH))
        .hasMessageContaining("is never due");
  }
}
