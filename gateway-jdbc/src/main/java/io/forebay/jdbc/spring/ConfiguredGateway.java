/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import io.forebay.database.DatabaseLogin;
import io.forebay.database.EmbeddedDatabase;
import io.forebay.database.LocalDatabase;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.queue.QueueBackend;
import io.forebay.system.SystemDatabase;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The settings of a gateway and its database.
 *
 * @param performing connects as the role that performs statements
 * @param owning connects as the role that owns schema forebay
 */
record ConfiguredGateway(
    GatewaysProperties.Gateway settings, DataSource performing, DataSource owning) {

  /** Opens the embedded database if the gateway has no other. */
  static ConfiguredGateway of(String name, GatewaysProperties.Gateway settings, BeanFactory beans) {
    DatabaseLogin own = settings.datasource();
    String property = "forebay.gateways.%s.".formatted(name);
    if (own != null && !SystemDatabase.isShared(own.url(property + "datasource", beans))) {
      LocalDatabase.mustServe(beans.getBean(QueueBackend.class), "the HSQLDB of gateway " + name);
    }
    DataSource performing = dataSource(property + "datasource", own, beans);
    DataSource owning = dataSource(property + "owner", settings.owner(), beans);
    if (performing == null || owning == null) {
      EmbeddedDatabase database = beans.getBean(EmbeddedDatabase.class);
      performing = database.gateway();
      owning = database.owner();
    }
    return new ConfiguredGateway(settings, performing, owning);
  }

  /** Not pooled, because each partition keeps its connection. */
  private static @Nullable DataSource dataSource(
      String property, @Nullable DatabaseLogin database, BeanFactory beans) {
    return database == null
        ? null
        : new DriverManagerDataSource(
            database.url(property, beans), database.username(), database.password());
  }

  /** A gateway with these settings that has no queues yet. */
  JDBCService.Builder builder(String name) {
    return JDBCService.builder(name)
        .dataSource(performing)
        .migrate(owning)
        .limits(settings.limits())
        .results(settings.results())
        .resultsKept(settings.resultsKept())
        .tries(settings.tries())
        .options(settings.options());
  }
}
