/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.TestDatabase;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PostgresLedgerErrorsTest extends LedgerErrorsContract {

  @Override
  TestDatabase open(Path directory) {
    return TestDatabase.postgresql();
  }

  @Override
  String renameColumn(String table, String from, String to) {
    return "alter table forebay." + table + " rename column " + from + " to " + to;
  }

  /** An error that may pass, such as too little memory, and comes with the same outcome again. */
  @Test
  void aStatementWhoseOutcomeIsRefusedTemporarilyEachTimeFailsAndItsNeighboursTakeEffect()
      throws Exception {
    change(
        """
        create function forebay.refuse() returns trigger language plpgsql as $$
        begin
          if octet_length(new.outcomes) > 100000 then
            raise exception 'out of memory' using errcode = '53200';
          end if;
          return new;
        end $$
        """);
    change(
        "create trigger refuse before insert on forebay.outcome"
            + " for each row execute function forebay.refuse()");
    pause(service, "so that all come together");
    Pending<Long> before = client.executeUpdate(INSERT_OTHER, 1L);
    Pending<Rows> tooLarge =
        client.executeQuery(
            "with source (x) as (select 1) select repeat('x', 120000) from source", Row.class);
    Pending<Long> after = client.executeUpdate(INSERT_OTHER, 2L);
    service.resume();
    assertThat(failure(tooLarge).kind()).isEqualTo(SqlFailure.Kind.GIVEN_UP);
    assertThat(get(before) + get(after)).isEqualTo(2);
  }
}
