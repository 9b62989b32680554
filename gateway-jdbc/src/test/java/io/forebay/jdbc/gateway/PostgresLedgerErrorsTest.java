/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.database.TestDatabase;
import java.nio.file.Path;

class PostgresLedgerErrorsTest extends LedgerErrorsContract {

  @Override
  TestDatabase open(Path directory) {
    return TestDatabase.postgresql();
  }

  @Override
  String renameColumn(String table, String from, String to) {
    return "alter table forebay." + table + " rename column " + from + " to " + to;
  }
}
