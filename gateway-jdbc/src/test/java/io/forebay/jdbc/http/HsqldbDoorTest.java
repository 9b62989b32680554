/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class HsqldbDoorTest extends DoorContract {

  static final String TABLES =
      """
      create table orders (id bigint primary key, item varchar(200) not null, quantity bigint);
      create table order_line (order_id bigint not null references orders (id), price decimal(10, 2));
      create table types (id bigint primary key, b boolean, d double precision, n decimal(10, 2),
        t varchar(200), x varbinary(200), day date, hour time(6), made timestamp(6),
        seen timestamp(6) with time zone, code uuid);
      """;

  @Override
  List<String> database(Path data) throws IOException {
    return own(data, TABLES);
  }

  /** The embedded database with these tables. */
  static List<String> own(Path data, String tables) throws IOException {
    Path migrations = Files.createDirectories(data.resolveSibling("migrations"));
    Files.writeString(migrations.resolve("V1__tables.sql"), tables);
    return List.of("forebay.gateways.main.migrations=filesystem:" + migrations);
  }
}
