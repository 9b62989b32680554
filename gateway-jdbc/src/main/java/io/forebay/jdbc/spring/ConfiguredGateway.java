/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import io.forebay.database.DatabaseLogin;
import io.forebay.database.EmbeddedDatabase;
import io.forebay.database.LocalDatabase;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.queue.QueueBackend;
import io.forebay.system.SystemDatabase;
import io.forebay.trace.Tracing;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Builders of services with the settings of a gateway, on its database. */
final class ConfiguredGateway {

  private ConfiguredGateway() {}

  /**
   * A service without queues. Opens the embedded database if the gateway has no other.
   *
   * @param service the name of the gateway or of one of its lanes
   */
  static JDBCService.Builder builder(
      String service, String gateway, GatewaysProperties.Gateway settings, BeanFactory beans) {
    DatabaseLogin own = settings.datasource();
    String property = "forebay.gateways.%s.".formatted(gateway);
    if (own != null && !SystemDatabase.isShared(own.url(property + "datasource", beans))) {
      LocalDatabase.mustServe(
          beans.getBean(QueueBackend.class), "the HSQLDB of gateway " + gateway);
    }
    DataSource performing = dataSource(property + "datasource", own, beans);
    DataSource owning = dataSource(property + "owner", settings.owner(), beans);
    if (performing == null || owning == null) {
      EmbeddedDatabase database = beans.getBean(EmbeddedDatabase.class);
      performing = database.gateway();
      owning = database.owner();
    }
    JDBCService.Builder builder =
        JDBCService.builder(service)
            .dataSource(performing)
            .migrate(owning)
            .statementTimeout(settings.statementTimeout())
            .results(settings.results())
            .resultsKept(settings.resultsKept())
            .options(settings.options());
    beans.getBeanProvider(StatementCatalogue.class).ifAvailable(builder::catalogue);
    beans.getBeanProvider(Tracing.class).ifAvailable(builder::tracing);
    if (settings.acceptText() != null) {
      builder.acceptText(settings.acceptText());
    }
    return builder;
  }

  /** Not pooled, because each partition keeps its connection. */
  private static @Nullable DataSource dataSource(
      String property, @Nullable DatabaseLogin database, BeanFactory beans) {
    return database == null
        ? null
        : new DriverManagerDataSource(
            database.url(property, beans), database.username(), database.password());
  }
}
