/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.chronicle.ChronicleBackend;
import io.forebay.database.EmbeddedDatabase;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.Pending;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.queue.QueueBackend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of docs/start.md is this code, and it works. */
class JavaExampleTest {

  private static final Path DOCUMENT = Path.of("../../docs/start.md");
  private static final Path SOURCE =
      Path.of("src/test/java/io/forebay/example/JavaExampleTest.java");

  @TempDir Path data;

  @Test
  void theExampleWorks() throws Exception {
    // example begin
    try (EmbeddedDatabase database = EmbeddedDatabase.open(data.resolve("database"));
        QueueBackend backend = ChronicleBackend.open(data.resolve("queues"))) {
      createTables(database);
      try (JDBCService orders =
          JDBCService.builder("orders")
              .queues(backend, 1)
              .dataSource(database.gateway())
              .migrate(database.owner())
              .build()) {
        orders.start();
        try (StatementClient client = orders.createClient()) {
          Pending<Long> rows =
              client.executeUpdate("insert into orders (id, item) values (?, ?)", 1L, "tea");
          System.out.println(rows.get() + " row, accepted as " + rows.receipt());
        }
      }
    }
    // example end
  }

  @Test
  void theExampleMatchesTheDocument() throws Exception {
    String code = between(Files.readString(SOURCE), "// example begin\n", "// example end");
    String page = Files.readString(DOCUMENT);
    String section = page.substring(page.indexOf("\n## Without Spring\n"));
    String example = between(section, "```java\n", "```");
    assertThat(example.indent(4).strip()).isEqualTo(code.strip());
  }

  private static String between(String text, String begin, String end) {
    int from = text.indexOf(begin) + begin.length();
    return text.substring(from, text.indexOf(end, from));
  }

  private static void createTables(EmbeddedDatabase database) throws SQLException {
    try (Connection connection = database.owner().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("create table orders (id bigint primary key, item varchar(100))");
    }
    database.grantAll("orders");
  }
}
