/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

class HsqldbRaisedErrorsTest extends RaisedErrorsContract {

  @Override
  List<String> sqlStates() {
    return List.of("40001", "40P01", "08006", "53200", "S1000");
  }

  @Override
  void createFunction(String name, String sqlState) throws SQLException {
    try (Connection connection = database.owner().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create function %s() returns int begin atomic signal sqlstate '%s'; return 1; end"
              .formatted(name, sqlState));
      statement.execute("grant execute on function public." + name + " to public");
    }
  }
}
