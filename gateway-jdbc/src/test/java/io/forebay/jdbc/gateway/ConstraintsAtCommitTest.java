/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.TestDatabase;
import io.forebay.database.TestPostgres;
import io.forebay.jdbc.Call;
import java.net.URI;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Constraints that are checked at the commit. HSQLDB has none. */
class ConstraintsAtCommitTest extends GatewayFixture {

  private static final String CHILD = "insert into child (id, parent) values (?, ?)";
  private static final String PARENT = "insert into parent (id) values (?)";

  private final TestPostgres postgres = TestPostgres.shared();

  @Override
  TestDatabase open(Path directory) {
    return TestDatabase.postgresql(postgres);
  }

  @BeforeEach
  void tables() throws SQLException {
    database.createTable("parent", "id bigint primary key");
    database.createTable(
        "child", "id bigint, parent bigint references parent (id) deferrable initially deferred");
  }

  @Test
  void aBrokenConstraintFailsOnlyItsStatementHoweverOftenThatHappens() throws Exception {
    for (int round = 0; round < 3; round++) {
      pause(service, "so that all come together");
      List<Pending<Long>> children = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        children.add(client.executeUpdate(CHILD, (long) i, i == 13 ? 99L : null));
      }
      service.resume();
      for (int i = 0; i < 20; i++) {
        if (i == 13) {
          assertThat(failure(children.get(i)).sqlState()).isEqualTo("23503");
        } else {
          assertThat(get(children.get(i))).isEqualTo(1);
        }
      }
    }
    assertThat(database.rows("select count(*) from child")).containsExactly("57");
  }

  @Test
  void aGroupThatBreaksAConstraintFailsAsAWholeHoweverOftenThatHappens() throws Exception {
    for (long round = 0; round < 3; round++) {
      pause(service, "so that all come together");
      Pending<List<Long>> good =
          client.executeTogether(List.of(Call.of(CHILD, round, round), Call.of(PARENT, round)));
      Pending<List<Long>> bad =
          client.executeTogether(List.of(Call.of(CHILD, 100L, null), Call.of(CHILD, 101L, 99L)));
      Pending<Long> after = client.executeUpdate(INSERT_OTHER, round);
      service.resume();
      assertThat(get(good)).containsExactly(1L, 1L);
      assertThat(failure(bad).sqlState()).isEqualTo("23503");
      assertThat(get(after)).isEqualTo(1);
    }
    assertThat(database.rows("select id from child order by id")).containsExactly("0", "1", "2");
    assertThat(database.rows("select count(*) from other")).containsExactly("3");
  }

  @Test
  void oneThatIsCheckedAtOnceStaysSoBesideAStatementThatFails() throws Exception {
    database.createTable(
        "pet", "id bigint, parent bigint references parent (id) deferrable initially immediate");
    pause(service, "so that all come together");
    Pending<Long> before = client.executeUpdate(INSERT_OTHER, 1L);
    Pending<List<Long>> early =
        client.executeTogether(
            List.of(
                Call.of("insert into pet (id, parent) values (?, ?)", 1L, 7L),
                Call.of(PARENT, 7L)));
    Pending<Long> between = client.executeUpdate(PARENT, 8L);
    Pending<Long> late = client.executeUpdate(CHILD, 1L, 99L);
    service.resume();
    assertThat(get(before) + get(between)).isEqualTo(2);
    assertThat(failure(early).sqlState()).isEqualTo("23503");
    assertThat(failure(late).sqlState()).isEqualTo("23503");
    assertThat(database.rows("select count(*) from pet")).containsExactly("0");
  }

  /** The other server, which is the same here, raises it at its commit, within that of this one. */
  @Test
  void aStatementWhoseCommitTheDatabaseRefusesForAnyOtherReasonFailsAlone() throws Exception {
    URI server = URI.create(postgres.url().substring("jdbc:".length()));
    TestPostgres.execute(
        postgres.superuser(),
        "create extension postgres_fdw",
        "create server other foreign data wrapper postgres_fdw options (host '127.0.0.1',"
            + " port '%d', dbname '%s')".formatted(server.getPort(), postgres.database()),
        "create user mapping for public server other options (user 'postgres',"
            + " password_required 'false')",
        "create table remote (id bigint)",
        "create function refuse() returns trigger language plpgsql as"
            + " $$ begin raise exception 'no'; end $$",
        "create constraint trigger refuse after insert on remote deferrable initially deferred"
            + " for each row execute function refuse()",
        "create foreign table far (id bigint) server other options (table_name 'remote')",
        "grant insert on far to public");
    pause(service, "so that all come together");
    Pending<Long> before = client.executeUpdate(INSERT_OTHER, 1L);
    Pending<Long> refused = client.executeUpdate("insert into far values (1)");
    Pending<Long> after = client.executeUpdate(INSERT_OTHER, 2L);
    service.resume();
    assertThat(failure(refused).sqlState()).isEqualTo("P0001");
    assertThat(get(before) + get(after)).isEqualTo(2);
  }
}
