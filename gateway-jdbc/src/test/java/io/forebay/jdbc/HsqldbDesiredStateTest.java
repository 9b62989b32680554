/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.nio.file.Path;
import java.sql.SQLException;

class HsqldbDesiredStateTest extends DesiredStateContract {

  @Override
  TestDatabase open(Path directory) throws SQLException {
    return TestDatabase.hsqldb(directory);
  }
}
