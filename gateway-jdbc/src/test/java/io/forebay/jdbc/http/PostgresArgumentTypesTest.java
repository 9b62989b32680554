/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.database.TestPostgres;
import java.util.List;
import org.junit.jupiter.api.AfterAll;

class PostgresArgumentTypesTest extends ArgumentTypesContract {

  private final TestPostgres postgres = TestPostgres.shared();

  @Override
  List<String> database() {
    return PostgresDoorTest.properties(postgres);
  }

  @Override
  String column(String type) {
    return switch (type) {
      case "long" -> "bigint";
      case "double" -> "double precision";
      case "decimal" -> "numeric";
      case "bytes" -> "bytea";
      default -> type;
    };
  }

  @Override
  String array(String column) {
    return column + "[]";
  }

  @Override
  String returned(String type, String value) {
    return value;
  }

  @AfterAll
  void drop() {
    postgres.close();
  }
}
