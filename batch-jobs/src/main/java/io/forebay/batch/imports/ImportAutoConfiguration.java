/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.batch.jobs.JobDescription;
import io.forebay.jdbc.catalogue.CatalogueStatements;
import io.forebay.operations.Audit;
import io.forebay.operations.DataDirectory;
import java.time.InstantSource;
import javax.sql.DataSource;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The job {@code import}, if it is enabled and there is a catalogue. */
@AutoConfiguration(
    afterName = "io.forebay.jdbc.http.CatalogueAutoConfiguration",
    beforeName = "io.forebay.batch.jobs.JobsAutoConfiguration")
@ConditionalOnProperty("forebay.jobs.import.enabled")
@ConditionalOnBean(CatalogueStatements.class)
@EnableConfigurationProperties(ImportProperties.class)
class ImportAutoConfiguration {

  @Bean
  JobDescription forebayImportDescription() {
    return ImportJob.DESCRIPTION;
  }

  @Bean
  @ConditionalOnMissingBean(name = "forebayImportJob")
  Job forebayImportJob(
      JobRepository repository,
      CatalogueStatements statements,
      ImportProperties properties,
      DataDirectory data,
      ObjectProvider<Audit> audit,
      @Qualifier("forebayJobsDataSource") DataSource database) {
    return ImportJob.create(
        repository,
        statements,
        properties.settings(data.path()),
        new Admission(
            audit.getIfAvailable(Audit::none), JdbcClient.create(database), "forebay.batch_"),
        InstantSource.system());
  }
}
