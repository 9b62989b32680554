/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.database.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

class HsqldbGatewayTest extends GatewayContract {

  @Override
  TestDatabase open(Path directory) throws SQLException {
    return TestDatabase.hsqldb(directory);
  }

  @Test
  void noRoutineOrTriggerCanChangeTheSessionOfOtherStatements() {
    for (String change :
        List.of(
            "set schema information_schema",
            "set role none",
            "set time zone interval '3:00' hour to minute",
            "set transaction read only",
            "set session characteristics as transaction isolation level serializable",
            "declare local temporary table seen (a int)")) {
      for (String owner :
          List.of(
              "procedure p() modifies sql data", "trigger t after insert on item for each row")) {
        assertThatThrownBy(
                () -> {
                  try (Connection connection = database.owner().getConnection();
                      Statement statement = connection.createStatement()) {
                    statement.execute("create %s begin atomic %s; end".formatted(owner, change));
                  }
                })
            .as("%s in a %s", change, owner)
            .isInstanceOf(SQLException.class);
      }
    }
  }
}
