/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import com.zaxxer.hikari.HikariDataSource;
import io.forebay.database.DatabaseLogin;
import io.forebay.database.EmbeddedDatabase;
import io.forebay.database.EmbeddedDatabaseAutoConfiguration;
import io.forebay.operations.Audit;
import io.forebay.operations.DesiredStates;
import io.forebay.operations.Services;
import java.util.Properties;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The system database, which is opened when a bean first requests it, and its desired states. It
 * exists if it is configured, or if there is a gateway, a job, or the admin page.
 */
@AutoConfiguration(
    after = EmbeddedDatabaseAutoConfiguration.class,
    afterName = {
      "io.forebay.spring.OperationsAutoConfiguration",
      "io.forebay.jdbc.spring.GatewayAutoConfiguration"
    })
@ConditionalOnClass({HikariDataSource.class, JdbcClient.class})
@Conditional(SystemDatabaseAutoConfiguration.Needed.class)
@EnableConfigurationProperties(SystemProperties.class)
public class SystemDatabaseAutoConfiguration {

  /** How long an answer may take, in seconds. A migration may have to wait for another instance. */
  private static final String ANSWER = "10";

  private static final String MIGRATION = "60";

  @Bean
  @Lazy
  @ConditionalOnMissingBean
  SystemDatabase forebaySystemDatabase(SystemProperties system, BeanFactory beans) {
    DatabaseLogin user = system.datasource();
    if (user != null) {
      String property = "forebay.system.datasource";
      return system.owner() == null
          ? database(property, user, property, user, beans)
          : database(property, user, "forebay.system.owner", system.owner(), beans);
    }
    DefaultSystemDatabase first =
        beans.getBeanProvider(DefaultSystemDatabase.class).getIfAvailable();
    if (first != null && first.owner() != null) {
      return database(first.property(), first.owner(), first.property(), first.owner(), beans);
    }
    return SystemDatabase.embedded(beans.getBean(EmbeddedDatabase.class));
  }

  @Bean
  @ConditionalOnMissingBean(DesiredStates.class)
  DesiredStateTable forebayDesiredStates(SystemDatabase database) {
    return new DesiredStateTable(database);
  }

  @Bean
  @ConditionalOnBean({DesiredStates.class, Services.class})
  DesiredStateFollower forebayDesiredStateFollower(Services services, ObjectProvider<Audit> audit) {
    return new DesiredStateFollower(services, () -> audit.getIfAvailable(Audit::none));
  }

  static final class Needed extends AnyNestedCondition {

    Needed() {
      super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnProperty("forebay.system.datasource.url")
    static final class IsConfigured {}

    @ConditionalOnProperty("forebay.system.datasource.username")
    static final class IsInTheDatabaseOfTheApplication {}

    @ConditionalOnBean(DefaultSystemDatabase.class)
    static final class HasGateway {}

    @ConditionalOnBean(type = "org.springframework.batch.core.job.Job")
    static final class HasJob {}

    @ConditionalOnBean(type = "io.forebay.access.Tokens")
    static final class HasUsers {}
  }

  private static SystemDatabase database(
      String property,
      DatabaseLogin user,
      String ownerProperty,
      DatabaseLogin owner,
      BeanFactory beans) {
    return new SystemDatabase(
        dataSource(property, user, ANSWER, beans),
        dataSource(ownerProperty, owner, MIGRATION, beans),
        SystemDatabase.isShared(user.url(property, beans)));
  }

  private static DataSource dataSource(
      String property, DatabaseLogin database, String seconds, BeanFactory beans) {
    String url = database.url(property, beans);
    DriverManagerDataSource source =
        new DriverManagerDataSource(url, database.username(), database.password());
    if (url.startsWith("jdbc:postgresql:")) {
      Properties properties = new Properties();
      properties.setProperty("ApplicationName", "forebay-system");
      properties.setProperty("connectTimeout", "5");
      properties.setProperty("socketTimeout", seconds);
      source.setConnectionProperties(properties);
    }
    return source;
  }
}
