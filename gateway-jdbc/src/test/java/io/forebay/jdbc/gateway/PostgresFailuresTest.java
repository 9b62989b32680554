/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.TestDatabase;
import io.forebay.database.TestPostgres;
import java.nio.file.Path;
import java.sql.SQLException;

class PostgresFailuresTest extends FailuresContract {

  @Override
  TestDatabase open(Path directory) throws SQLException {
    return TestDatabase.postgresql();
  }

  /** A deadlock, say, whose text tells what was written. */
  @Override
  void moreThatIsLogged() throws Exception {
    TestPostgres.execute(
        database.owner(),
        "create sequence attempts",
        "grant usage on sequence attempts to public",
        "create function fail_once(value text) returns text language plpgsql as"
            + " $$ begin if nextval('attempts') = 1 then"
            + " raise exception 'value %', value using errcode = '40001'; end if;"
            + " return value; end $$");
    service.resume();
    assertThat(result(client.executeUpdate("insert into item values (6, fail_once(?))", "SECRET")))
        .isEqualTo(1L);
    assertThat(service.view().lastError().message()).contains("40001");
  }
}
