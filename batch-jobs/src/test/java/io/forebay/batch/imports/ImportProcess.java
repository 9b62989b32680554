/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import com.zaxxer.hikari.HikariDataSource;
import io.forebay.batch.KilledProcess;
import io.forebay.batch.TestBatch;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.http.TestCatalogue;
import io.forebay.operations.Audit;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Imports a file in its own process. */
final class ImportProcess {

  static final String CATALOGUE =
      """
      statements:
        - name: items.add
          sql: insert into item (id, name, price) values (:id, :name, :price)
          key: name
          params:
            - {name: id, type: long}
            - {name: name, type: text}
            - {name: price, type: decimal, nullable: true}
      """;

  private ImportProcess() {}

  /**
   * @param words the URL of the database, the directory of the test, the name of the file in it,
   *     how many records a chunk has
   */
  public static void main(String[] words) throws Exception {
    Path directory = Path.of(words[1]);
    try (HikariDataSource system = new HikariDataSource();
        ChronicleBackend backend = ChronicleBackend.open(directory.resolve("data"));
        JDBCService service =
            JDBCService.builder("main")
                .queues(backend, 2)
                .dataSource(new DriverManagerDataSource(words[0], "forebay_gateway", ""))
                .migrate(new DriverManagerDataSource(words[0], "forebay_owner", ""))
                .build();
        TestCatalogue catalogue =
            new TestCatalogue(directory.resolve("catalogue.yaml"), CATALOGUE, service)) {
      service.start();
      system.setJdbcUrl(words[0]);
      system.setUsername("forebay_owner");
      system.setMaximumPoolSize(2);
      TestBatch batch = new TestBatch(system, new SyncTaskExecutor());
      ImportSettings settings =
          new ImportSettings(
              directory, directory.resolve("rejects"), Integer.parseInt(words[3]), 100_000);
      JobParameters parameters =
          new JobParametersBuilder()
              .addString("file", directory.resolve(words[2]).toString())
              .addString("statement", "items.add")
              .addString("rejects", directory.resolve("rejects.csv").toString())
              .addString("wait", "true")
              .toJobParameters();
      System.out.println(KilledProcess.RUNNING);
      JobExecution execution =
          batch.run(
              ImportJob.create(
                  batch.repository(),
                  catalogue.statements(),
                  settings,
                  new Admission(Audit.none(), JdbcClient.create(system), "batch_"),
                  InstantSource.system()),
              parameters);
      execution.getAllFailureExceptions().forEach(Throwable::printStackTrace);
      Duration took = Duration.between(execution.getStartTime(), execution.getEndTime());
      System.out.println(
          KilledProcess.ENDED
              + execution.getStatus()
              + " "
              + execution.getExitStatus().getExitDescription()
              + " in "
              + took.toMillis()
              + " ms");
    }
    System.exit(0);
  }
}
