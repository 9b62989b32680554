/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import io.forebay.batch.JobProgress;
import io.forebay.batch.jobs.JobDescription;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.operations.Actor;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.queue.Appender;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.listener.StepExecutionListener;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.item.ExecutionContext;
import org.springframework.batch.infrastructure.item.support.AbstractItemCountingItemStreamItemReader;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Forebay with three jobs: one that takes minutes, one that fails and one that is complete; and
 * with a dead letter.
 */
final class SomeJobs {

  private static final Actor BY =
      new Actor(Actor.Kind.APPLICATION, "scheduler", "operator", "local");

  private SomeJobs() {}

  public static void main(String[] args) throws Exception {
    new SpringApplicationBuilder(Class.forName("io.forebay.app.Forebay"), Jobs.class).run(args);
  }

  @Configuration(proxyBeanMethods = false)
  static class Jobs {

    @Bean
    Job endOfDay(JobRepository repository) {
      return new JobBuilder("end-of-day", repository)
          .start(step(repository, "load", 2_000, 0, 0))
          .next(step(repository, "price", 2_000_000, 20, 0))
          .build();
    }

    @Bean
    JobDescription endOfDayDescription() {
      return JobDescription.of("end-of-day", "Prices what was ordered on a day.")
          .with(
              JobDescription.Parameter.required(
                  "date", JobDescription.Type.DATE, "The day of the orders."))
          .with(
              JobDescription.Parameter.optional(
                  "limit", JobDescription.Type.INTEGER, null, "How many orders at most."));
    }

    @Bean
    Job ledger(JobRepository repository) {
      return new JobBuilder("ledger-import", repository)
          .start(step(repository, "load", 5_000, 0, 700))
          .build();
    }

    @Bean
    Job letters(JobRepository repository) {
      return new JobBuilder("letters", repository)
          .start(step(repository, "write", 1_000, 0, 0))
          .build();
    }

    @Bean
    ApplicationRunner begin(JobOperations jobs, JDBCService main) {
      return _ -> {
        try (Appender appender = main.in().appender()) {
          appender.append(0, ByteBuffer.wrap("no message".getBytes(StandardCharsets.UTF_8)));
        }
        jobs.start("end-of-day", Map.of("date", "2026-11-19"), BY);
        jobs.start("ledger-import", Map.of("file", "ledger-17"), BY);
        jobs.start("letters", Map.of(), BY);
      };
    }

    private static Step step(
        JobRepository repository, String name, int items, long pause, int failAt) {
      Orders orders = new Orders(items, pause, failAt);
      return new StepBuilder(name, repository)
          .<Integer, Integer>chunk(50)
          .reader(orders)
          .writer(_ -> Thread.sleep(pause))
          .listener((StepExecutionListener) orders)
          .build();
    }
  }

  private static final class Orders extends AbstractItemCountingItemStreamItemReader<Integer>
      implements StepExecutionListener {

    private final int items;
    private final long pause;
    private final int failAt;
    private int next;

    Orders(int items, long pause, int failAt) {
      this.items = items;
      this.pause = pause;
      this.failAt = failAt;
      setName("orders");
    }

    @Override
    public void beforeStep(StepExecution step) {
      ExecutionContext context = step.getExecutionContext();
      JobProgress.total(context, items, context.getInt("orders.read.count", 0));
      JobProgress.feeds(context, "main");
      if (pause > 0) {
        Map<String, Long> prices = new HashMap<>();
        prices.put("calls", 48_210L);
        prices.put("sent", 48_180L);
        prices.put("results", 48_177L);
        prices.put("failures", 3L);
        prices.put("timedOut", 0L);
        prices.put("room", 49_450L);
        prices.put("chunks.ITEMS", 912L);
        prices.put("chunks.ALL_WAITING", 61L);
        prices.put("chunks.TICKER", 12L);
        prices.put("chunks.BYTES", 4L);
        context.put(JobProgress.CALLS, new HashMap<>(Map.of("prices", prices)));
      }
    }

    @Override
    protected Integer doRead() {
      if (next == items) {
        return null;
      }
      next++;
      if (next == failAt) {
        throw new IllegalStateException("line is shorter than its format");
      }
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
}
