/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import java.util.Objects;
import java.util.Properties;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The system database, for whoever asks for it. */
@AutoConfiguration(after = GatewayAutoConfiguration.class)
@ConditionalOnClass({HikariDataSource.class, JdbcClient.class})
@EnableConfigurationProperties(SystemProperties.class)
class SystemDatabaseAutoConfiguration {

  /** How long an answer may take, in seconds; a migration may wait for that of another instance. */
  private static final String ANSWER = "10";

  private static final String MIGRATION = "60";

  @Bean
  @Lazy
  @ConditionalOnMissingBean
  SystemDatabase forebaySystemDatabase(
      SystemProperties system, GatewaysProperties gateways, BeanFactory beans) {
    GatewaysProperties.Database user = system.datasource();
    if (user != null) {
      return database(user, Objects.requireNonNullElse(system.owner(), user));
    }
    GatewaysProperties.Database owner = gateways.gateways().values().iterator().next().owner();
    if (owner != null) {
      return database(owner, owner);
    }
    DataSource embedded = beans.getBean(EmbeddedDatabase.class).owner();
    return new SystemDatabase(embedded, embedded, false);
  }

  private static SystemDatabase database(
      GatewaysProperties.Database user, GatewaysProperties.Database owner) {
    return new SystemDatabase(
        dataSource(user, ANSWER),
        dataSource(owner, MIGRATION),
        SystemDatabase.isShared(user.url()));
  }

  private static DataSource dataSource(GatewaysProperties.Database database, String seconds) {
    DriverManagerDataSource source =
        new DriverManagerDataSource(database.url(), database.username(), database.password());
    if (database.url().startsWith("jdbc:postgresql:")) {
      Properties properties = new Properties();
      properties.setProperty("ApplicationName", "forebay-system");
      properties.setProperty("connectTimeout", "5");
      properties.setProperty("socketTimeout", seconds);
      source.setConnectionProperties(properties);
    }
    return source;
  }
}
