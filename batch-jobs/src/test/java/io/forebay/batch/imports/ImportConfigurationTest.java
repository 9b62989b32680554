/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.batch.TestBatch;
import io.forebay.jdbc.catalogue.CatalogueStatements;
import io.forebay.operations.DataDirectory;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.unit.DataSize;

class ImportConfigurationTest {

  @TempDir Path directory;

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(ImportAutoConfiguration.class));

  @Test
  void thereIsNoJobWithoutAJobRepository() {
    runner.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Job.class));
  }

  @Test
  void thereIsOneWithARepositoryAndACatalogue() throws Exception {
    TestBatch batch = new TestBatch();
    try (TestGateway gateway = new TestGateway(directory, ImportProcess.CATALOGUE, 1_000)) {
      runner
          .withBean(JobRepository.class, () -> batch.repository())
          .withBean("forebayJobsDataSource", DataSource.class, batch::database)
          .withBean(CatalogueStatements.class, gateway::statements)
          .withBean(DataDirectory.class, () -> new DataDirectory(directory))
          .withPropertyValues("forebay.jobs.import.enabled=true", "forebay.jobs.import.chunk=10")
          .run(context ->
              assertThat(context)
                  .hasNotFailed()
                  .getBean(Job.class)
                  .extracting(Job::getName)
                  .isEqualTo("import"));
    }
  }

  @Test
  void filesAreInTheDataDirectoryByDefault() {
    assertThat(
            new ImportProperties(true, null, 10, DataSize.ofMegabytes(1))
                .settings(directory)
                .directory())
        .isEqualTo(directory.resolve("import"));
  }
}
