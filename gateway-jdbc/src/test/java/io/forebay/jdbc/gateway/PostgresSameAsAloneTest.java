/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.database.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

class PostgresSameAsAloneTest extends SameAsAloneContract {

  private static final String AT_THE_COMMIT = " deferrable initially deferred";

  @Override
  TestDatabase open(Path directory) {
    return TestDatabase.postgresql();
  }

  @Override
  List<Case> cases() {
    List<Case> cases = new ArrayList<>(general());
    cases.addAll(checkedAtTheCommit());
    cases.addAll(ofTheTransaction());
    cases.addAll(ofTheSession());
    cases.addAll(different());
    return cases;
  }

  private static List<Case> checkedAtTheCommit() {
    return List.of(
        new Case("a child before its parent, checked at the commit")
            .table("parent", "id bigint primary key")
            .table("child", "id bigint, parent bigint references parent" + AT_THE_COMMIT)
            .sends("insert into child (id, parent) values (1, 7)")
            .sends("insert into parent (id) values (7)")
            .sends("insert into child (id, parent) values (2, ?)", 7L, 8L, 7L)
            .sends("update child set parent = 9 where id = 2")
            .sends("insert into parent (id) values (9)")
            .sends("delete from parent where id = 7")
            .sends("delete from child")
            .sends("delete from parent where id = 7")
            .sendsTogether(
                "insert into child (id, parent) values (3, 3)",
                "insert into parent (id) values (3)")
            .observes(
                "select id, parent from child order by id", "select id from parent order by id"),
        new Case("children before their parents in a tree, checked at the commit")
            .table("node", "id bigint primary key, parent bigint references node" + AT_THE_COMMIT)
            .sends(
                "insert into node (id, parent) select n % 100, n / 100 from (values (?::bigint)) v (n)",
                102L, 2L, 102L, 304L, 304L, 3L)
            .sends("insert into node (id, parent) values (4, 5)")
            .sends("insert into node (id, parent) values (5, null)")
            .observes("select id, parent from node order by id"),
        new Case("a unique number, checked at the commit")
            .table("rank", "id bigint, n bigint unique" + AT_THE_COMMIT)
            .sends("insert into rank (id, n) values (1, 1)")
            .sends("insert into rank (id, n) values (2, 1)")
            .sends("insert into rank (id, n) values (2, 2)")
            .sends("update rank set n = 2 where id = 1")
            .sends("update rank set n = 1 where id = 2")
            .sends("update rank set n = 3 - n")
            .sendsTogether(
                "update rank set n = 1 where id = 1", "update rank set n = 2 where id = 2")
            .observes("select id, n from rank order by id"),
        new Case("an exclusion, checked at the commit")
            .table(
                "booking", "id bigint, r int4range, exclude using gist (r with &&)" + AT_THE_COMMIT)
            .sends("insert into booking (id, r) select ?, '[1,3)'", 1L, 2L)
            .sends("delete from booking where id = 1")
            .sends("insert into booking (id, r) select ?, '[2,5)'", 3L)
            .observes("select id from booking order by id"),
        new Case("a constraint trigger that refuses at the commit")
            .table("orders", "id bigint")
            .table("order_line", "order_id bigint")
            .with(
                "create function has_lines() returns trigger language plpgsql as $$ begin"
                    + " if not exists (select from order_line where order_id = new.id) then"
                    + " raise exception 'no lines'; end if; return null; end $$",
                "create constraint trigger has_lines after insert on orders"
                    + AT_THE_COMMIT
                    + " for each row execute function has_lines()")
            .sends("insert into orders (id) values (1)")
            .sends("insert into order_line (order_id) values (?)", 1L, 2L)
            .sends("insert into orders (id) values (?)", 2L, 3L, 1L)
            .sendsTogether(
                "insert into orders (id) values (4)",
                "insert into order_line (order_id) values (4)")
            .observes("select id from orders order by id"),
        new Case("a constraint trigger that writes at the commit")
            .table("entry", "id bigint")
            .table("journal", "n bigint generated always as identity, id bigint, entries bigint")
            .with(
                "create function note_entry() returns trigger language plpgsql as $$ begin"
                    + " insert into journal (id, entries) select new.id, count(*) from entry;"
                    + " return null; end $$",
                "create constraint trigger note_entry after insert or update on entry"
                    + AT_THE_COMMIT
                    + " for each row execute function note_entry()")
            .sends("insert into entry (id) values (?)", 1L, 2L, 3L)
            .sends("update entry set id = id + 10 where id = ?", 1L, 2L)
            .sends("delete from entry where id = 11")
            .sends("insert into entry (id) values (4)")
            .observes("select id, entries from journal order by n"),
        new Case("a function that catches a violation, checked at the commit")
            .table("owner", "id bigint primary key")
            .table("thing", "owner bigint references owner" + AT_THE_COMMIT)
            .with(
                "create function add_thing(bigint) returns text language plpgsql as $$ begin"
                    + " insert into thing values ($1); return 'added';"
                    + " exception when foreign_key_violation then return 'caught'; end $$")
            .asks("select add_thing(1)")
            .sends("insert into owner (id) values (1)")
            .asks("select add_thing(1)")
            .observes("select owner from thing"),
        new Case("a function that has constraints checked at the commit")
            .table("box", "id bigint primary key")
            .table("ball", "id bigint, box bigint references box deferrable")
            .with(
                "create function add_ball(bigint, bigint) returns text language plpgsql as $$ begin"
                    + " set constraints all deferred; insert into ball values ($1, $2);"
                    + " if $2 > 4 then insert into box values ($2); end if; return 'added'; end $$")
            .asks("select add_ball(1, 1)")
            .asks("select add_ball(5, 5)")
            .sends("insert into ball (id, box) values (2, 2)")
            .sends("insert into box (id) values (?)", 1L, 2L)
            .sends("insert into ball (id, box) values (3, 1)")
            .observes("select id, box from ball order by id"));
  }

  /** What is the same for all statements of a transaction. */
  private static List<Case> ofTheTransaction() {
    return List.of(
        new Case("a unique time")
            .table("login", "account bigint, at timestamptz default now(), unique (account, at)")
            .sends("insert into login (account) values (?)", 1L, 1L, 2L, 1L)
            .sends("insert into login (account) select ?", 1L, 1L)
            .observes(
                "select account, count(distinct at) from login group by account order by account"),
        new Case("a unique time that only the last one violates")
            .table("logout", "account bigint, at timestamptz default now(), unique (account, at)")
            .sends("insert into logout (account) values (?)", 1L, 2L, 1L)
            .observes(
                "select account, count(distinct at) from logout group by account order by account"),
        new Case("a unique time in an index of an expression")
            .table("visit", "account bigint, at timestamptz default current_timestamp")
            .with("create unique index on visit (account, (at at time zone 'UTC'))")
            .sends("insert into visit (account) values (?)", 1L, 1L, 2L, 1L)
            .observes(
                "select account, count(distinct at) from visit group by account order by account"),
        new Case("a unique time in a generated column")
            .table(
                "day",
                "account bigint, at timestamptz default localtimestamp, utc timestamp"
                    + " generated always as (at at time zone 'UTC') stored, unique (account, utc)")
            .sends("insert into day (account) values (?)", 1L, 1L, 2L, 1L)
            .observes(
                "select account, count(distinct at) from day group by account order by account"),
        new Case("a time that must be later than the one before")
            .table(
                "changed",
                "id bigint, made timestamptz default now(), at timestamptz, check (at > made)")
            .sends("insert into changed (id) values (?)", 1L, 2L)
            .sends("update changed set at = now() where id = ?", 1L, 2L)
            .observes("select id, at > made from changed order by id"),
        new Case("a trigger that wants a later time")
            .table("version", "id bigint, at timestamptz default now()")
            .with(
                "create function later() returns trigger language plpgsql as $$ begin"
                    + " if now() <= old.at then raise exception 'not later'; end if;"
                    + " new.at := now(); return new; end $$",
                "create trigger later before update on version for each row execute function later()")
            .sends("insert into version (id) values (1)")
            .sends("update version set id = id + 1 where id > ?", 0L, 1L, 2L, 9L)
            .observes("select id from version"),
        new Case("a temporary table until the commit")
            .with(
                "create function once() returns bigint language plpgsql as $$ begin"
                    + " create temporary table scratch (a bigint) on commit drop;"
                    + " insert into scratch values (1); return (select count(*) from scratch); end $$")
            .asks("select once()")
            .asks("select once()")
            .observes(),
        new Case("a function that waits for what its own session has locked")
            .table("counter", "n bigint")
            .sends("insert into counter (n) values (1)")
            .sends("update counter set n = n + ?", 1L, 1L)
            .observes("select n from counter"));
  }

  private static List<Case> ofTheSession() {
    Case forgetful =
        new Case("a function that executes deallocate all")
            .table("note", "n bigint generated always as identity, t text")
            .with(
                "create function forget() returns text language plpgsql as $$ begin"
                    + " execute 'deallocate all'; return 'forgotten'; end $$");
    for (int i = 0; i < 8; i++) { // the server prepares what it often gets
      forgetful.asks("select count(*) as n from note").sends("insert into note (t) select ?", "a");
    }
    return List.of(
        forgetful
            .asks("select forget()")
            .sends("insert into note (t) select ?", "b")
            .asks("select count(*) as n from note")
            .asks("select forget()")
            .sends("insert into note (t) select ?", "c", "d")
            .observes("select t from note order by n"),
        new Case("a function that executes deallocate all before a statement that fails")
            .table("sum", "n bigint")
            .with(
                "create function forget_all() returns text language plpgsql as $$ begin"
                    + " execute 'deallocate all'; return 'forgotten'; end $$")
            .sends("insert into sum (n) select ?", 1L, 2L, 3L, 4L)
            .asks("select forget_all()")
            .sends("insert into sum (n) values (1 / 0)")
            .observes("select n from sum order by n"),
        new Case("a function that changes a setting")
            .with(
                "create function go_away(text) returns text language plpgsql as $$ begin"
                    + " perform set_config($1, 'elsewhere', false);"
                    + " return current_setting($1); end $$")
            .asks("select go_away('search_path')")
            .asks("select current_setting('search_path') as s")
            .asks("select go_away('application_name')")
            .asks("select current_setting('application_name') as s")
            .observes());
  }

  /** The differences that docs/start.md names. */
  private static List<Case> different() {
    return List.of(
        new Case("the same notification arrives once per batch")
            .sends("notify news, 'same'")
            .sends("notify news, 'same'")
            .sends("notify news, 'other'")
            .observes(new Notifications("news"))
            .differs("[same, same, other]", "[same, other]"),
        new Case("a batch has one time and one number of its transaction")
            .table("stamp", "t timestamptz, x text")
            .sends(
                "insert into stamp (t, x) select now(), txid_current()::text || left(?, 0)",
                "a",
                "b")
            .observes("select count(distinct t), count(distinct x) from stamp")
            .differs("2,2", "1,1"),
        new Case("a sequence has more gaps, because what fails is performed again")
            .table("gap", "id bigint generated always as identity, n bigint not null")
            .sends("insert into gap (n) values (?)", 1L, 2L, null, 3L)
            .observes("select case when id > 5 then 'more' else 'less' end from gap where n = 3")
            .differs("less", "more"));
  }

  /** The payloads that arrive on a channel. */
  private static final class Notifications implements Observation {

    private final String channel;
    private Connection connection;

    Notifications(String channel) {
      this.channel = channel;
    }

    @Override
    public void begin(TestDatabase database) throws SQLException {
      connection = database.owner().getConnection();
      try (Statement statement = connection.createStatement()) {
        statement.execute("listen " + channel);
      }
    }

    @Override
    public List<String> of(TestDatabase database) throws SQLException {
      try (Connection listening = connection;
          Statement statement = listening.createStatement()) {
        statement.execute("select 1"); // the server sends them with its answer
        PGNotification[] all = listening.unwrap(PGConnection.class).getNotifications();
        return List.of(Stream.of(all).map(PGNotification::getParameter).toList().toString());
      }
    }
  }
}
