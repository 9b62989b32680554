/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.service.errors.FailureCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class FailureNotesTest {

  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
  private final FailureNotes notes = new FailureNotes("main", StatementCatalogue.NONE, now::get);

  private void fail(String sql, String state) {
    fail(sql, state, SqlFailure.Kind.CONSTRAINT);
  }

  private void fail(String sql, String state, SqlFailure.Kind kind) {
    SqlFailure failure = new SqlFailure(state, 0, kind, "secret");
    notes.add(
        new Request.Single(sql, new Object[0], null), new Outcome.Failed(failure, false), null);
  }

  private static long lines(CapturedOutput output) {
    return output.getAll().lines().filter(line -> line.contains("Statement failed: ")).count();
  }

  @Test
  void aFailureIsToldAtADecayingRateAndAnewAfterAnHour(CapturedOutput output) {
    for (int i = 0; i < 1_000; i++) {
      fail("insert", "23505");
    }
    assertThat(lines(output)).as("the first, tenth, hundredth and thousandth").isEqualTo(4);
    fail("insert", "23503");
    assertThat(lines(output)).as("another SQLState").isEqualTo(5);
    now.set(now.get().plus(Duration.ofMinutes(61)));
    fail("insert", "23505");
    assertThat(lines(output)).isEqualTo(6);
    assertThat(output.getAll()).doesNotContain("secret");
  }

  @Test
  void manyKindsAreToldAsOne(CapturedOutput output) {
    for (int i = 0; i < FailureCounts.KINDS + 900; i++) {
      fail("insert " + i, "23505");
    }
    assertThat(lines(output)).isEqualTo(FailureCounts.KINDS + 3);
    assertThat(output.getAll()).contains("Statement failed: one of many texts of gateway main");
    now.set(now.get().plus(Duration.ofMinutes(61)));
    fail("insert", "23505");
    assertThat(output.getAll().lines())
        .as("there is room again")
        .last()
        .asString()
        .doesNotContain("one of many texts");
  }
}
