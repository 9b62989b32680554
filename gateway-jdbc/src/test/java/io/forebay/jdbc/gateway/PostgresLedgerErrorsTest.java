/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.TestDatabase;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

  /** An error that may pass, such as too little memory, but comes with the same outcomes again. */
  @Test
  void insertsWhoseOutcomesAreRefusedTogetherEachTimeArePerformedOneByOne() throws Exception {
    change(
        """
        create function forebay.refuse() returns trigger language plpgsql as $$
        begin
          if new.to_position - new.from_position > 1 then
            raise exception 'out of memory' using errcode = '53200';
          end if;
          return new;
        end $$
        """);
    change(
        "create trigger refuse before insert on forebay.outcome"
            + " for each row execute function forebay.refuse()");
    pause(service, "so that all come together");
    List<Pending<Long>> together = new ArrayList<>();
    for (long i = 0; i < 5; i++) {
      together.add(client.executeUpdate(INSERT_OTHER, i));
    }
    service.resume();
    for (Pending<Long> each : together) {
      assertThat(get(each)).isEqualTo(1);
    }
    assertThat(database.rows("select count(*) from other")).containsExactly("5");
  }
}
