/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.endpoints;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/** Adds the endpoints to the product when the benchmark starts it. */
@AutoConfiguration
class BenchAutoConfiguration implements DisposableBean {

  private static final int[] POOL_SIZES = {10, 20};

  /** The same order as the mapping of the HTTP door. */
  private static final int ORDER = -1;

  private final List<HikariDataSource> pools = new ArrayList<>();

  BenchAutoConfiguration() {
    Thread.ofPlatform().daemon().name("parent-watch").start(BenchAutoConfiguration::endWithParent);
  }

  /** Adds a rule to the product's security chain: any token is allowed. */
  @Bean
  Customizer<HttpSecurity> benchRule() {
    return http ->
        http.authorizeHttpRequests(paths -> paths.requestMatchers("/bench/**").authenticated());
  }

  @Bean
  SimpleUrlHandlerMapping benchEndpoints(
      @Value("${bench.database.url}") String url,
      @Value("${bench.database.username}") String role) {
    Map<String, HttpRequestHandler> handlers = new LinkedHashMap<>();
    handlers.put("/bench/empty", BenchEndpoints::empty);
    for (int size : POOL_SIZES) {
      HikariDataSource pool = pool(url, role, size);
      handlers.put(
          "/bench/direct/" + size,
          (request, response) -> BenchEndpoints.insert(pool, request, response));
    }
    return new SimpleUrlHandlerMapping(handlers, ORDER);
  }

  private HikariDataSource pool(String url, String role, int size) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(url);
    pool.setUsername(role);
    pool.setMaximumPoolSize(size);
    pools.add(pool);
    return pool;
  }

  @Override
  public void destroy() {
    pools.forEach(HikariDataSource::close);
  }

  /** Ends the product when the benchmark is killed. */
  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // nothing is ever sent
      }
    } catch (IOException e) {
      // treat an error like the end
    }
    Runtime.getRuntime().halt(1);
  }
}
