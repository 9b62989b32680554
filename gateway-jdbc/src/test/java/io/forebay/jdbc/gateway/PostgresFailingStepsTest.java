/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.database.TestDatabase;
import java.nio.file.Path;

class PostgresFailingStepsTest extends FailingStepsContract {

  @Override
  TestDatabase open(Path directory) {
    return TestDatabase.postgresql();
  }
}
