/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.endpoints;

import com.zaxxer.hikari.HikariDataSource;
import io.forebay.chunk.remote.ChunkCodec;
import io.forebay.chunk.remote.ListService;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Adds the two services of the letters to the product when their benchmark starts it. */
@AutoConfiguration
@ConditionalOnProperty("bench.letters")
class LettersServices {

  private static final int CONNECTIONS = 8;

  @Bean
  HikariDataSource lettersDatabase(
      @Value("${bench.database.url}") String url,
      @Value("${bench.database.username}") String role) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(url);
    pool.setUsername(role);
    pool.setMaximumPoolSize(CONNECTIONS);
    return pool;
  }

  @Bean
  ListService<Long, @Nullable Customer> customers(HikariDataSource lettersDatabase) {
    return ListService.inOrder(
        "customers",
        ChunkCodec.of((Type) Long.class, Customer.class),
        new LetterTables(lettersDatabase)::customers);
  }

  @Bean
  ListService<Long, @Nullable Address> addresses(HikariDataSource lettersDatabase) {
    return ListService.inOrder(
        "addresses",
        ChunkCodec.of((Type) Long.class, Address.class),
        new LetterTables(lettersDatabase)::addresses);
  }
}
