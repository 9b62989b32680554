/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.endpoints;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;

/**
 * The tables of contracts, customers, addresses and letters, on PostgreSQL. Also the queries of the
 * two services, which read many keys with one statement. Thread-safe.
 */
public final class LetterTables {

  private static final List<String> TABLES =
      List.of(
          """
          create table customer as select id, any_of('Ada,Barbara,Edsger,Grace,Niklaus', id) as first_name,
            any_of('Baker,Cook,Fisher,Mason,Weaver', id / 5) as last_name from ids
          """,
          """
          create table address as select id as customer,
            any_of('Brook Lane,Mill Road,Weir Street', id) || ' ' || 1 + id % 200 as street,
            lpad((id * 7919 % 100000)::text, 5, '0') as zip, any_of('Kiel,Lübeck,Husum,Plön', id / 3) as city
            from ids
          """,
          """
          create table contract as select id, id as owner, any_of('household,liability,accident', id) as product,
            round((1000 + id * 7919 % 99000)::decimal / 100, 2) as premium from ids
          """,
          "alter table customer add primary key (id)",
          "alter table address add primary key (customer)",
          "alter table contract add primary key (id)",
          """
          create table letter (run bigint not null, contract bigint not null, body varchar(1000) not null,
            primary key (run, contract))
          """);

  private static final RowMapper<Customer> CUSTOMER =
      (row, _) -> new Customer(row.getLong(1), row.getString(2), row.getString(3));
  private static final RowMapper<Address> ADDRESS =
      (row, _) -> new Address(row.getLong(1), row.getString(2), row.getString(3), row.getString(4));

  private final JdbcTemplate jdbc;

  public LetterTables(DataSource database) {
    jdbc = new JdbcTemplate(database);
  }

  /**
   * Creates the tables with a number of contracts, each with its own owner. All values are derived
   * from the keys.
   *
   * @param reader the role that may read what the services need
   */
  public void prepare(long contracts, String reader) {
    jdbc.execute("create view ids as select generate_series(1::bigint, " + contracts + ") as id");
    jdbc.execute(
        """
        create function any_of(words text, number bigint) returns text language sql immutable
          return (string_to_array(words, ','))[1 + (number % array_length(string_to_array(words, ','), 1))::int]
        """);
    TABLES.forEach(jdbc::execute);
    jdbc.execute("grant select on customer, address to " + reader);
  }

  /** Customers in the order of the ids; null where there is none. */
  public List<@Nullable Customer> customers(List<Long> ids) {
    return find("customer", "id, first_name, last_name", "id", ids, CUSTOMER, Customer::id);
  }

  /** Addresses in the order of the customers; null where there is none. */
  public List<@Nullable Address> addresses(List<Long> customers) {
    return find(
        "address",
        "customer, street, zip, city",
        "customer",
        customers,
        ADDRESS,
        Address::customer);
  }

  private <T> List<@Nullable T> find(
      String table,
      String columns,
      String key,
      List<Long> keys,
      RowMapper<T> mapper,
      Function<T, Long> keyOf) {
    List<T> rows =
        jdbc.query(
            connection -> {
              var statement =
                  connection.prepareStatement(
                      "select " + columns + " from " + table + " where " + key + " = any (?)");
              statement.setArray(1, connection.createArrayOf("bigint", keys.toArray()));
              return statement;
            },
            mapper);
    Map<Long, T> found = new HashMap<>();
    rows.forEach(row -> found.put(keyOf.apply(row), row));
    List<@Nullable T> inOrder = new ArrayList<>(keys.size());
    keys.forEach(it -> inOrder.add(found.get(it)));
    return inOrder;
  }

  /** How many letters a run has written. */
  public long letters(long run) {
    return count("select count(*) from letter where run = ?", run);
  }

  /** How many contracts have a key up to this one. */
  public long contracts(long last) {
    return count("select count(*) from contract where id <= ?", last);
  }

  private long count(String sql, long parameter) {
    Long count = jdbc.queryForObject(sql, Long.class, parameter);
    return count == null ? 0 : count;
  }
}
