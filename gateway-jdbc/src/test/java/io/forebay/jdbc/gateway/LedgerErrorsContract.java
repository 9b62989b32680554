/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.CapturedLog;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.batch.Retries;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The ledger does not take what a batch has to write to it. */
abstract class LedgerErrorsContract extends GatewayFixture {

  private static final String LARGE =
      "with source (name) as (select name from item) select repeat(name, %d) from source";

  /** Changes the ledger as its owner. */
  void change(String sql) throws SQLException {
    try (Connection connection = database.owner().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  abstract String renameColumn(String table, String from, String to);

  @Override
  JDBCService.Builder builder() {
    Duration soon = Duration.ofMillis(20);
    return super.builder().options(ServiceOptions.defaults().withRetry(soon, soon));
  }

  @Test
  void resultsThatAreTooLargeForTheLedgerTogetherAreKeptOneByOneAndOneThatIsFails()
      throws Exception {
    get(client.executeUpdate(INSERT, 1L, "tea", 1.0));
    change(
        "alter table forebay.outcome add constraint small check (octet_length(outcomes) < 200000)");
    pause(service, "so that all come together");
    Pending<Long> before = client.executeUpdate(INSERT_OTHER, 1L);
    List<Pending<Rows>> fitting = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      fitting.add(client.executeQuery(LARGE.formatted(30_000), Row.class));
    }
    Pending<Rows> tooLarge = client.executeQuery(LARGE.formatted(90_000), Row.class);
    Pending<Long> after = client.executeUpdate(INSERT_OTHER, 2L);
    service.resume();
    for (Pending<Rows> each : fitting) {
      assertThat((String) get(each).values().getFirst().getFirst()).hasSize(90_000);
    }
    assertThat(failure(tooLarge))
        .satisfies(failure -> {
          assertThat(failure.kind()).isEqualTo(SqlFailure.Kind.GIVEN_UP);
          assertThat(failure.message())
              .startsWith("its outcome could not be written to the ledger (SQLState 23")
              .endsWith("so it was rolled back; its result may be too large");
        });
    assertThat(get(before) + get(after)).isEqualTo(2);
  }

  @Test
  void aLedgerThatWasChangedIsNamedAsTheReasonUntilItIsRepaired() throws Exception {
    get(client.executeUpdate(INSERT, 1L, "tea", 1.0));
    for (String column : List.of("outcome.outcomes", "outcome.outcomes", "progress.epoch")) {
      String table = column.substring(0, column.indexOf('.'));
      String name = column.substring(column.indexOf('.') + 1);
      List<String> log = Collections.synchronizedList(new ArrayList<>());
      try (CapturedLog _ = CapturedLog.of(Retries.class.getName(), log)) {
        change(renameColumn(table, name, "gone"));
        List<Pending<Long>> waiting = new ArrayList<>();
        pause(service, "so that all come together");
        for (long i = 0; i < 5; i++) {
          waiting.add(client.executeUpdate(INSERT_OTHER, i));
        }
        service.resume();
        await()
            .until(() ->
                service.state().phase() == ServiceState.Phase.WAITING
                    && service
                        .state()
                        .reason()
                        .startsWith(
                            "the ledger of service shop cannot be read or written (SQLState 42"));
        assertThat(service.state().reason())
            .containsIgnoringCase(name)
            .doesNotContain("is unavailable");
        assertThat(log)
            .singleElement()
            .asString()
            .startsWith("Ledger damaged: the ledger of service shop");
        change(renameColumn(table, "gone", name));
        for (Pending<Long> each : waiting) {
          assertThat(get(each)).isEqualTo(1);
        }
      }
    }
    assertThat(database.rows("select count(*) from other")).containsExactly("15");
    assertThat(database.rows("select count(*) from forebay.failed_message")).containsExactly("0");
  }
}
