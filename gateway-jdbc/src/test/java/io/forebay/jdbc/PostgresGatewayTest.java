/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.nio.file.Path;

class PostgresGatewayTest extends GatewayContract {

  @Override
  TestDatabase open(Path directory) {
    return TestDatabase.postgresql();
  }
}
