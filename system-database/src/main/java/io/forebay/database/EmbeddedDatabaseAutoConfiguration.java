/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import io.forebay.operations.DataDirectory;
import io.forebay.operations.StartRefused;
import io.forebay.queue.QueueBackend;
import java.sql.SQLException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.util.ClassUtils;

/** The embedded database, opened when the first bean asks for it. */
@AutoConfiguration
public class EmbeddedDatabaseAutoConfiguration {

  private static final String DRIVER = "org.hsqldb.jdbc.JDBCDriver";

  @Bean
  @Lazy
  @ConditionalOnMissingBean
  EmbeddedDatabase forebayEmbeddedDatabase(DataDirectory data, ObjectProvider<QueueBackend> backend)
      throws SQLException {
    if (!ClassUtils.isPresent(DRIVER, EmbeddedDatabaseAutoConfiguration.class.getClassLoader())) {
      throw new StartRefused(
          "The embedded database is missing from the class path; add"
              + " io.forebay:forebay-starter-hsqldb, or set forebay.system.datasource to a database"
              + " of your own");
    }
    backend.ifAvailable(queues -> LocalDatabase.mustServe(queues, "the embedded database"));
    return EmbeddedDatabase.open(data.path().resolve("database"));
  }
}
