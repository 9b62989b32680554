/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.database.TestDatabase;
import java.nio.file.Path;
import java.sql.SQLException;

class PostgresLanesTest extends LanesContract {

  @Override
  TestDatabase open(Path directory) throws SQLException {
    return TestDatabase.postgresql();
  }
}
