/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.endpoints;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;

/**
 * The tables of contracts, customers, addresses and letters, on PostgreSQL. Also the queries of the
 * two services, which read many keys with one statement. Thread-safe.
 */
public final class LetterTables {

  private static final int BATCH = 5_000;
  private static final List<String> FIRST = List.of("Ada", "Barbara", "Edsger", "Grace", "Niklaus");
  private static final List<String> LAST = List.of("Baker", "Cook", "Fisher", "Mason", "Weaver");
  private static final List<String> STREETS = List.of("Brook Lane", "Mill Road", "Weir Street");
  private static final List<String> CITIES = List.of("Kiel", "Lübeck", "Husum", "Plön");
  private static final List<String> PRODUCTS = List.of("household", "liability", "accident");

  private static final List<String> DDL =
      List.of(
          "create table if not exists customer (id bigint primary key,"
              + " first_name varchar(100) not null, last_name varchar(100) not null)",
          "create table if not exists address (customer bigint primary key,"
              + " street varchar(100) not null, zip varchar(10) not null, city varchar(100) not null)",
          "create table if not exists contract (id bigint primary key, owner bigint not null,"
              + " product varchar(40) not null, premium decimal(10, 2) not null)",
          "create table if not exists letter (run bigint not null, contract bigint not null,"
              + " body varchar(1000) not null, primary key (run, contract))");

  private static final RowMapper<Customer> CUSTOMER =
      (row, _) -> new Customer(row.getLong(1), row.getString(2), row.getString(3));
  private static final RowMapper<Address> ADDRESS =
      (row, _) -> new Address(row.getLong(1), row.getString(2), row.getString(3), row.getString(4));

  private final JdbcTemplate jdbc;

  public LetterTables(DataSource database) {
    jdbc = new JdbcTemplate(database);
  }

  /**
   * Creates missing tables and fills them up to a number of contracts, each with its own owner. All
   * values are derived from the keys.
   *
   * @param reader the role that may read what the services need
   */
  public void prepare(int contracts, String reader) {
    DDL.forEach(jdbc::execute);
    jdbc.execute("grant select on customer, address to " + reader);
    Long there = jdbc.queryForObject("select coalesce(max(id), 0) from contract", Long.class);
    for (long from = there == null ? 1 : there + 1; from <= contracts; from += BATCH) {
      fill(from, Math.min(contracts, from + BATCH - 1));
    }
  }

  private void fill(long from, long to) {
    List<Object[]> customers = new ArrayList<>();
    List<Object[]> addresses = new ArrayList<>();
    List<Object[]> contracts = new ArrayList<>();
    RandomGeneratorFactory<RandomGenerator> seeded = RandomGeneratorFactory.of("L64X128MixRandom");
    for (long id = from; id <= to; id++) {
      RandomGenerator random = seeded.create(id);
      customers.add(new Object[] {id, any(FIRST, random), any(LAST, random)});
      addresses.add(
          new Object[] {
            id,
            any(STREETS, random) + " " + random.nextInt(1, 200),
            "%05d".formatted(random.nextInt(100_000)),
            any(CITIES, random)
          });
      contracts.add(
          new Object[] {
            id, id, any(PRODUCTS, random), BigDecimal.valueOf(random.nextLong(1_000, 100_000), 2)
          });
    }
    jdbc.batchUpdate("insert into customer values (?, ?, ?)", customers);
    jdbc.batchUpdate("insert into address values (?, ?, ?, ?)", addresses);
    jdbc.batchUpdate("insert into contract values (?, ?, ?, ?)", contracts);
  }

  private static String any(List<String> words, RandomGenerator random) {
    return words.get(random.nextInt(words.size()));
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
