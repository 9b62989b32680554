/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import io.forebay.batch.ChunkingItemProcessor;
import io.forebay.batch.JobProgress;
import io.forebay.batch.JobSteps;
import io.forebay.batch.JobsDataSource;
import io.forebay.batch.JobsTransactionManager;
import io.forebay.batch.TestBatch;
import io.forebay.jdbc.gateway.StatementClient;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.springframework.batch.core.configuration.annotation.JobScope;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.job.parameters.RunIdIncrementer;
import org.springframework.batch.core.listener.StepExecutionListener;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.item.Chunk;
import org.springframework.batch.infrastructure.item.ItemWriter;
import org.springframework.batch.infrastructure.item.support.AbstractItemCountingItemStreamItemReader;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;

/** Jobs that write numbers into a table of the system database, slowly on request. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class TestJobs {

  static final int CHUNK = 5;

  /** As a number to fail at: the second step of job filters. */
  static final long AFTER = 1_000;

  /** Fails once, at this number. */
  static volatile long failAt;

  /** The argument of the statements of job keyed. */
  static volatile String sent = "";

  static volatile CountDownLatch gate = new CountDownLatch(0);

  /** The run of job rows whose chunk last reached the gate. */
  static volatile String atGate = "";

  @Bean
  Job rows(
      JobRepository repository,
      @JobsDataSource DataSource database,
      @JobsTransactionManager PlatformTransactionManager transactions) {
    Numbers numbers = new Numbers();
    Step write =
        new StepBuilder("write", repository)
            .<Long, Long>chunk(CHUNK)
            .reader(numbers)
            .writer(new Rows(new JdbcTemplate(database), numbers))
            .listener((StepExecutionListener) numbers)
            .transactionManager(transactions)
            .build();
    Step after = new StepBuilder("after", repository).tasklet((_, _) -> null, transactions).build();
    return new JobBuilder("rows", repository).start(write).next(after).build();
  }

  @Bean
  JobDescription rowsDescription() {
    return JobDescription.of("rows", "Writes numbers.")
        .with(JobDescription.Parameter.required("run", JobDescription.Type.TEXT, "Names the run."))
        .with(
            JobDescription.Parameter.optional(
                "items", JobDescription.Type.INTEGER, "20", "How many numbers."))
        .with(
            JobDescription.Parameter.optional(
                "pause", JobDescription.Type.INTEGER, "0", "Milliseconds per chunk."));
  }

  @Bean
  Job plain(JobRepository repository) {
    return new JobBuilder("plain", repository)
        .start(new StepBuilder("nothing", repository).tasklet((_, _) -> null).build())
        .build();
  }

  /** Has an incrementer, which a schedule must not use. */
  @Bean
  Job numbered(JobRepository repository) {
    return new JobBuilder("numbered", repository)
        .incrementer(new RunIdIncrementer())
        .start(new StepBuilder("nothing", repository).tasklet((_, _) -> null).build())
        .build();
  }

  /** Sends a keyed statement for each number, with an argument that changes. */
  @Bean
  Job keyed(JobSteps steps, ObjectProvider<StatementClient> clients) {
    return steps
        .job("keyed")
        .start(
            steps
                .<Long, Long>chunk("send", CHUNK)
                .reader(new TestBatch.Numbers(0, 10))
                .processor(
                    ChunkingItemProcessor.<Long, Long>keyedBy(
                        number -> number,
                        (number, keys) -> {
                          clients
                              .getObject()
                              .keyed("keyed", keys.next())
                              .executeUpdate(
                                  "insert into job_rows (run, number) values (?, ?)", sent, number)
                              .get();
                          return number;
                        }))
                .writer(numbers -> failOnce(numbers.getItems().getLast()))
                .build())
        .build();
  }

  /** Filters even numbers, and fails once in each of its steps. */
  @Bean
  Job filters(JobSteps steps) {
    Step filter =
        steps
            .<Long, Long>chunk("filter", CHUNK)
            .reader(new TestBatch.Numbers(0, 20))
            .processor(number -> {
              failOnce(number);
              return number % 2 == 0 ? null : number;
            })
            .writer(_ -> {})
            .listener(
                new StepExecutionListener() {
                  @Override
                  public void beforeStep(StepExecution step) {
                    JobProgress.total(step, 20);
                  }
                })
            .allowStartIfComplete(true)
            .build();
    Step after =
        steps
            .tasklet(
                "after",
                (_, _) -> {
                  failOnce(AFTER);
                  return null;
                })
            .build();
    return steps.job("filters").start(filter).next(after).build();
  }

  /** Nothing may ask its step before it runs. */
  @Bean
  Job scoped(JobSteps steps, @Qualifier("ofRun") Step step) {
    return steps.job("scoped").start(step).build();
  }

  @Bean
  @JobScope
  Step ofRun(JobSteps steps) {
    return steps.tasklet("nothing", (_, _) -> null).build();
  }

  /** Skips the numbers 3 and 13. */
  @Bean
  Job skips(JobSteps steps) {
    return steps
        .job("skips")
        .start(
            steps
                .<Long, Long>chunk("skip", CHUNK)
                .reader(new TestBatch.Numbers(0, 20))
                .processor(number -> {
                  if (number % 10 == 3) {
                    throw new IllegalArgumentException("number " + number + " is not wanted");
                  }
                  return number;
                })
                .writer(_ -> {})
                .faultTolerant()
                .skip(IllegalArgumentException.class)
                .skipLimit(2)
                .build())
        .build();
  }

  private static void failOnce(long number) {
    if (number == failAt) {
      failAt = 0;
      throw new IllegalStateException("number refused");
    }
  }

  static final class Numbers extends AbstractItemCountingItemStreamItemReader<Long>
      implements StepExecutionListener {

    private long items;
    private long pause;
    private long next;
    private String run = "";

    Numbers() {
      setName("numbers");
    }

    @Override
    public void beforeStep(StepExecution step) {
      JobParameters parameters = step.getJobParameters();
      items = parameters.getLong("items", 0L);
      pause = parameters.getLong("pause", 0L);
      run = parameters.getString("run", "");
      long before = step.getExecutionContext().getInt("numbers.read.count", 0);
      JobProgress.total(step.getExecutionContext(), items, before);
      Map<String, Long> prices = new HashMap<>();
      prices.put("calls", 40L);
      prices.put("sent", 36L);
      prices.put("room", 40L);
      prices.put("chunks.ITEMS", 3L);
      prices.put("chunks.ALL_WAITING", 1L);
      step.getExecutionContext()
          .put(JobProgress.CALLS, new HashMap<>(Map.of("price.of.goods", prices)));
    }

    @Override
    protected Long doRead() {
      if (next == items) {
        return null;
      }
      next++;
      failOnce(next);
      return next;
    }

    @Override
    protected void doOpen() {
      next = 0;
    }

    @Override
    protected void doClose() {}

    @Override
    protected void jumpToItem(int item) {
      next = item;
    }
  }

  private record Rows(JdbcTemplate database, Numbers numbers) implements ItemWriter<Long> {

    @Override
    public void write(Chunk<? extends Long> chunk) throws InterruptedException {
      for (long number : chunk) {
        database.update("insert into job_rows (run, number) values (?, ?)", numbers.run, number);
      }
      atGate = numbers.run;
      gate.await();
      Thread.sleep(numbers.pause);
    }
  }
}
