/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import com.zaxxer.hikari.HikariDataSource;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.ChunkOptions;
import io.forebay.chunk.ChunkedService;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.StatementClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.step.Step;
import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * A job in its own process. For each item it makes two keyed updates through a gateway, with a
 * service call in between.
 */
final class CallingProcess {

  static final int ITEMS = 3_000;
  private static final int CHUNK = 30;

  /** An item with the service's result. */
  record Named(long item, String name) {}

  private CallingProcess() {}

  /**
   * @param words the URL of the database, the directory of the test
   */
  public static void main(String[] words) throws Exception {
    try (HikariDataSource system = new HikariDataSource();
        ChronicleBackend backend = ChronicleBackend.open(Path.of(words[1], "data"));
        JDBCService gateway =
            JDBCService.builder("main")
                .queues(backend, 2)
                .dataSource(new DriverManagerDataSource(words[0], "forebay_gateway", ""))
                .migrate(new DriverManagerDataSource(words[0], "forebay_owner", ""))
                .build();
        StatementClient client = gateway.createClient();
        CallCollector collector = new CallCollector()) {
      gateway.start();
      system.setJdbcUrl(words[0]);
      system.setUsername("forebay_owner");
      system.setMaximumPoolSize(2);
      JdbcTemplate sql = new JdbcTemplate(system);
      TestBatch batch = new TestBatch(system, new SyncTaskExecutor(), Duration.ofHours(96));
      ChunkedService<Long, String> names =
          collector.service(
              "names", ChunkFunction.inOrder(items -> names(sql, items)), ChunkOptions.defaults());
      Step step =
          batch
              .<Named>step(ITEMS, CHUNK)
              .processor(
                  ChunkingItemProcessor.<Long, Named>keyedBy(
                      item -> item,
                      (item, keys) -> {
                        client
                            .keyed("job", keys.next())
                            .executeUpdate("insert into reserved values (?)", item)
                            .get();
                        String name = names.call(item);
                        client
                            .keyed("job", keys.next())
                            .executeUpdate("insert into named values (?, ?)", item, name)
                            .get();
                        return new Named(item, name);
                      }))
              .writer(items -> {
                for (Named named : items) {
                  sql.update("insert into written values (?, ?)", named.item(), named.name());
                }
              })
              .build();
      System.out.println(KilledProcess.RUNNING);
      JobExecution execution = batch.run(batch.job(step), new JobParameters());
      execution.getAllFailureExceptions().forEach(Throwable::printStackTrace);
      System.out.println(KilledProcess.ENDED + execution.getStatus());
    }
    System.exit(0);
  }

  private static List<String> names(JdbcTemplate sql, List<Long> items) {
    Map<Long, String> found = new HashMap<>();
    sql.query(
        "select item, name from name where item = any (?)",
        row -> {
          found.put(row.getLong(1), row.getString(2));
        },
        (Object) items.toArray(Long[]::new));
    return items.stream().map(found::get).toList();
  }
}
