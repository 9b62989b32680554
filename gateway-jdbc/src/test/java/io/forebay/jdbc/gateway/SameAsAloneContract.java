/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.TestDatabase;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailed;
import io.forebay.jdbc.SqlFailure;
import io.forebay.queue.memory.MemoryBackend;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Statements of one batch have the results and the effects that they have when each is sent after
 * the result of the one before. Each case is performed in two databases: alone and together.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SameAsAloneContract {

  private Gateway alone;
  private Gateway together;

  abstract TestDatabase open(Path directory) throws SQLException;

  abstract List<Case> cases();

  @BeforeAll
  void start(@TempDir Path first, @TempDir Path second) throws SQLException {
    alone = new Gateway(open(first));
    together = new Gateway(open(second));
  }

  @AfterAll
  void stop() throws SQLException {
    alone.close();
    together.close();
  }

  /** Cases for both databases. */
  static List<Case> general() {
    return List.of(
        new Case("a statement that fails between others")
            .table("good", "id bigint primary key, name varchar(3) not null")
            .sends("insert into good (id, name) values (1, 'a')")
            .sends("insert into good (id, name) values (2, 'long')")
            .sends("insert into good (id, name) values (1, 'b')")
            .sends("insert into good (id, name) values (3, 'c')")
            .sends("insert into good (id, name) values (4, null)")
            .sends("update good set id = 3 where id = 1")
            .sends("update good set name = 'd' where id = 3")
            .sends("delete from good where id = 1 / 0")
            .sends("insert into nowhere (id) values (1)")
            .sends("delete from good where id = 1")
            .sends("insert into good (id, name) values (1, 'e')")
            .observes("select id, name from good order by id"),
        new Case("inserts of which some fail")
            .table("mixed", "id bigint primary key")
            .sends("insert into mixed (id) values (?)", 1L, 2L, 1L, 3L, 2L, 4L, 5L, 5L, 6L, 7L)
            .observes("select id from mixed order by id"),
        new Case("updates of which some fail")
            .table("stock", "id bigint primary key, n bigint check (n >= 0)")
            .sends("insert into stock (id, n) values (1, 5)")
            .sends("update stock set n = n - ? where id = 1", 2L, 4L, 1L, 3L, 2L, 1L)
            .observes("select n from stock"),
        new Case("groups of which one fails")
            .table("grouped", "id bigint primary key")
            .sendsTogether("insert into grouped (id) values (1)")
            .sendsTogether(
                "insert into grouped (id) values (2)", "insert into grouped (id) values (1)")
            .sendsTogether(
                "insert into grouped (id) values (2)", "insert into grouped (id) values (3)")
            .observes("select id from grouped order by id"),
        new Case("a child before its parent")
            .table("mother", "id bigint primary key")
            .table("daughter", "id bigint, mother bigint references mother (id)")
            .sends("insert into daughter (id, mother) values (1, 7)")
            .sends("insert into mother (id) values (7)")
            .sends("insert into daughter (id, mother) values (2, 7)")
            .sends("delete from mother where id = 7")
            .sends("delete from daughter where id = 2")
            .sends("delete from mother where id = 7")
            .observes("select id from daughter", "select id from mother"),
        new Case("inserts into one table around an update of another that reads it")
            .table("line", "id bigint")
            .table("total", "n bigint")
            .sends("insert into total (n) values (0)")
            .sends("insert into line (id) values (1)")
            .sends("update total set n = 10 * n + (select count(*) from line)")
            .sends("insert into line (id) values (2)")
            .sends("update total set n = 10 * n + (select count(*) from line)")
            .sends("insert into line (id) values (3)")
            .sends("update total set n = 10 * n + (select count(*) from line)")
            .observes("select n from total"),
        new Case("statements that read what the one before wrote")
            .table("seen", "n bigint")
            .sends("insert into seen (n) select count(*) + ? from seen", 100L, 100L, 100L, 100L)
            .asks("select sum(n) as n from seen")
            .sends("update seen set n = n + ? where n = 100", 1L, 1L)
            .asks("select sum(n) as n from seen")
            .observes("select n from seen order by n"),
        new Case("a key that is freed and taken again")
            .table("seat", "id bigint primary key, guest varchar(9)")
            .sends("insert into seat (id, guest) values (1, 'Ada')")
            .sends("delete from seat where id = 1")
            .sends("insert into seat (id, guest) values (1, 'Bob')")
            .sends("update seat set id = 2 where id = 1")
            .sends("insert into seat (id, guest) values (1, 'Cid')")
            .observes("select id, guest from seat order by id"),
        new Case("a sequence: the order of its numbers")
            .table("ticket", "id bigint generated by default as identity, name varchar(1) not null")
            .sends("insert into ticket (name) values (?)", "a", "b", null, "c")
            .sends("update ticket set name = 'd' where name = 'b'")
            .sends("insert into ticket (name) values (?)", "e", null, "f")
            .observes("select name from ticket order by id"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void have(Case each) throws Exception {
    List<String> expected = alone.performs(each, false);
    List<String> found = together.performs(each, true);
    if (each.together == null) {
      assertThat(found).isEqualTo(expected);
    } else {
      assertThat(expected).endsWith(each.alone);
      assertThat(found).as("a difference that the documentation names").endsWith(each.together);
    }
  }

  /** Statements, the tables that they use, and queries that observe their effects. */
  static final class Case {

    private final String name;
    private final List<String[]> tables = new ArrayList<>();
    private final List<String> ddl = new ArrayList<>();
    private final List<Function<StatementClient, Pending<?>>> statements = new ArrayList<>();
    private final List<Observation> observed = new ArrayList<>();
    private String alone;
    private String together;

    Case(String name) {
      this.name = name;
    }

    Case table(String table, String columns) {
      tables.add(new String[] {table, columns});
      return this;
    }

    /** Performed by the owner, after the tables exist. */
    Case with(String... statements) {
      ddl.addAll(List.of(statements));
      return this;
    }

    Case sends(String sql) {
      statements.add(client -> client.executeUpdate(sql));
      return this;
    }

    /** Sends the statement once with each of the arguments. */
    Case sends(String sql, Object... arguments) {
      for (Object argument : arguments) {
        statements.add(client -> client.executeUpdate(sql, argument));
      }
      return this;
    }

    Case sendsTogether(String... sql) {
      List<Call> calls = Arrays.stream(sql).map(text -> Call.of(text)).toList();
      statements.add(client -> client.executeTogether(calls));
      return this;
    }

    Case asks(String sql) {
      statements.add(client -> client.executeQuery(sql, Row.class));
      return this;
    }

    Case observes(String... queries) {
      for (String query : queries) {
        observed.add(database -> database.rows(query));
      }
      return this;
    }

    Case observes(Observation observation) {
      observed.add(observation);
      return this;
    }

    /** The documentation says that the last observation differs. */
    Case differs(String whenAlone, String whenTogether) {
      alone = whenAlone;
      together = whenTogether;
      return this;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** Observes effects. */
  @FunctionalInterface
  interface Observation {
    List<String> of(TestDatabase database) throws SQLException;

    /** Called before the statements are sent. */
    default void begin(TestDatabase database) throws SQLException {}
  }

  /** A gateway on a database of its own. */
  private static final class Gateway {

    final TestDatabase database;
    final MemoryBackend backend = MemoryBackend.open();

    Gateway(TestDatabase database) {
      this.database = database;
    }

    List<String> performs(Case each, boolean together) throws Exception {
      for (String[] table : each.tables) {
        database.createTable(table[0], table[1]);
      }
      try (Connection connection = database.owner().getConnection();
          Statement statement = connection.createStatement()) {
        for (String sql : each.ddl) {
          statement.execute(sql);
        }
      }
      for (Observation observation : each.observed) {
        observation.begin(database);
      }
      List<String> all = new ArrayList<>();
      try (JDBCService service =
              JDBCService.builder("shop")
                  .queues(backend, 1)
                  .dataSource(database.gateway())
                  .migrate(database.owner())
                  .build();
          StatementClient client = service.createClient()) {
        service.start();
        if (together) {
          pause(service, "so that all come together");
          List<Pending<?>> sent = new ArrayList<>();
          each.statements.forEach(statement -> sent.add(statement.apply(client)));
          service.resume();
          sent.forEach(pending -> all.add(result(pending)));
        } else {
          each.statements.forEach(statement -> all.add(result(statement.apply(client))));
        }
      }
      for (Observation observation : each.observed) {
        all.addAll(observation.of(database));
      }
      return all;
    }

    private static String result(Pending<?> pending) {
      try {
        Object result = pending.get(60, TimeUnit.SECONDS);
        return result instanceof Rows rows
            ? rows.values().stream().map(Object::toString).collect(Collectors.joining("; "))
            : String.valueOf(result);
      } catch (ExecutionException e) {
        SqlFailure failure = ((SqlFailed) Objects.requireNonNull(e.getCause())).failure();
        return failure.kind() + " " + failure.sqlState();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    void close() throws SQLException {
      backend.close();
      database.close();
    }
  }
}
