/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.queue.memory.MemoryBackend;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Queries values from a gateway, and checks the results in Java and at the door. */
final class ResultTypes implements AutoCloseable {

  /** From the sixth execution on, PostgreSQL's driver receives some types in binary form. */
  private static final int TIMES = 8;

  private final MemoryBackend backend = MemoryBackend.open();
  private final JDBCService service;
  private final StatementClient client;

  ResultTypes(DataSource gateway, DataSource owner) {
    service =
        JDBCService.builder("shop").queues(backend, 1).dataSource(gateway).migrate(owner).build();
    service.start();
    client = service.createClient();
  }

  /**
   * A value that a query may return.
   *
   * @param type the name of the type in the database
   * @param sql an expression of this type
   * @param java the value in Java
   * @param json the value in the door's JSON
   */
  record Value(String type, String sql, @Nullable Object java, String json) {

    /** A text, which is the same in SQL, Java and JSON. */
    static Value text(String type, String sql, String text) {
      return new Value(type, sql, text, "\"" + text.replace("\"", "\\\"") + "\"");
    }

    @Override
    public String toString() {
      return type + " " + sql;
    }
  }

  /**
   * Queries the value as the only column, several times; it must be returned unchanged each time.
   */
  void check(Value value, String query) throws Exception {
    for (int i = 0; i < TIMES; i++) {
      Rows rows = client.executeQuery(query, Row.class).get(20, TimeUnit.SECONDS);
      Object actual = rows.values().getFirst().getFirst();
      assertThat(comparable(actual)).as("in Java").isEqualTo(comparable(value.java()));
      assertThat(json(rows)).as("at the door").contains("\"rows\":[[" + value.json() + "]]");
    }
  }

  Rows query(String query) throws Exception {
    return client.executeQuery(query, Row.class).get(20, TimeUnit.SECONDS);
  }

  StatementClient client() {
    return client;
  }

  private static String json(Rows rows) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ResultDocument document = new ResultDocument(new UUID(0, 0));
    document.queryResult(rows);
    try (JsonGenerator out = RunningDoor.JSON.createGenerator(bytes)) {
      document.write(out);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static @Nullable Object comparable(@Nullable Object value) {
    return switch (value) {
      case byte[] b -> Arrays.toString(b);
      case OffsetDateTime t -> t.toInstant();
      case List<?> l -> l.stream().map(ResultTypes::comparable).toList();
      case null, default -> value;
    };
  }

  /** The section of the documentation that lists the types. */
  static String documented() throws IOException {
    String text = Files.readString(Path.of("../docs/door.md"));
    int start = text.indexOf("### Types of columns");
    assertThat(start).isPositive();
    return text.substring(start, text.indexOf("\n## ", start));
  }

  @Override
  public void close() {
    client.close();
    service.close();
    backend.close();
  }
}
