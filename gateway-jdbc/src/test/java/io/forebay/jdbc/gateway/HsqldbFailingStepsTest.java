/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.service.ServiceState.Phase;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Here the driver also shows each commit. */
class HsqldbFailingStepsTest extends FailingStepsContract {

  @Test
  void onlyTheMessageFailsWhoseCommitFails() throws Exception {
    onlyTheMessageFails(Step.COMMITTED);
  }

  @Test
  void anOperatorFailsTheMessageWhoseCommitFails() throws Exception {
    anOperatorFailsTheMessage(Step.COMMITTED);
  }

  @ParameterizedTest
  @ValueSource(strings = {WatchedDriver.CONNECT, "update forebay.progress"})
  void whatFailsBeforeAMessageIsUsedFailsNone(String begin) throws Exception {
    restart(builder().tries(1));
    for (Thrown thrown : Thrown.values()) {
      for (String lost : List.of(POISON, WatchedDriver.COMMITTED)) {
        AtomicInteger faults = new AtomicInteger(4);
        performed = false;
        driver =
            what -> {
              performed |= what.equals(POISON);
              boolean first = faults.get() == 4;
              if (faults.get() > 0 && performed && what.startsWith(first ? lost : begin)) {
                faults.decrementAndGet();
                (first ? Thrown.LOST : thrown).now();
              }
            };
        assertThat(get(client.executeUpdate(POISON, 1L))).isEqualTo(1);
        assertThat(faults).hasValue(0);
      }
    }
    assertThat(database.rows("select count(*) from forebay.failed_message")).containsExactly("0");
    assertThat(database.rows("select count(*) from other"))
        .containsExactly("" + 2 * Thrown.values().length);
  }

  /** As when a standby takes over that lacks this commit and others. */
  @Test
  void aCommitInDoubtIsNotAnsweredIfTheDatabaseReturnedToAnOlderState() throws Exception {
    get(client.executeUpdate(INSERT_OTHER, 1L));
    driver =
        what -> {
          performed |= what.equals(POISON);
          if (performed && what.equals(WatchedDriver.COMMITTED)) {
            performed = false;
            try (Connection owner = database.owner().getConnection();
                Statement statement = owner.createStatement()) {
              statement.execute("delete from forebay.outcome where to_position > 0");
            }
            Thrown.LOST.now();
          }
        };
    Pending<Long> doubtful = client.executeUpdate(POISON, 2L);
    await().until(() -> service.state().phase() == Phase.FAILED);
    assertThat(service.state().reason())
        .contains("returned to an older state (its progress is 0, it was 2)");
    assertThat(doubtful).isNotDone();
  }
}
