/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import java.util.List;

class HsqldbArgumentTypesTest extends ArgumentTypesContract {

  @Override
  List<String> database() {
    return List.of();
  }

  @Override
  String column(String type) {
    return switch (type) {
      case "long" -> "bigint";
      case "decimal" -> "decimal(40, 3)";
      case "text", "json" -> "varchar(200)";
      case "bytes" -> "varbinary(200)";
      case "time" -> "time(6)";
      case "timestamp" -> "timestamp(6)";
      case "timestamptz" -> "timestamp(6) with time zone";
      default -> type;
    };
  }

  @Override
  String array(String column) {
    return column + " array";
  }

  /** JSON is text here. */
  @Override
  String returned(String type, String value) {
    return type.equals("json") ? RunningDoor.JSON.writeValueAsString(value) : value;
  }
}
