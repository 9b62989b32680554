/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.imports;

import io.forebay.batch.ChunkingItemProcessor;
import io.forebay.batch.JobSteps;
import io.forebay.jdbc.gateway.StatementClient;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.batch.core.configuration.annotation.StepScope;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.listener.SkipListener;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.infrastructure.item.file.FlatFileItemReader;
import org.springframework.batch.infrastructure.item.file.FlatFileParseException;
import org.springframework.batch.infrastructure.item.file.builder.FlatFileItemReaderBuilder;
import org.springframework.batch.infrastructure.item.file.separator.DefaultRecordSeparatorPolicy;
import org.springframework.batch.infrastructure.item.file.transform.DelimitedLineTokenizer;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.io.FileSystemResource;

/** The job: sends each record of a CSV file through the gateway, once. */
@Configuration(proxyBeanMethods = false)
class ImportOrders {

  private static final String INSERT = "insert into orders (id, customer, amount) values (?, ?, ?)";
  private static final int CHUNK = 500;
  private static final int MOST_REJECTS = 1_000;

  /** The records of a chunk are sent together. After a restart each has the same key as before. */
  @Bean
  ChunkingItemProcessor<Order, Order> sending(StatementClient client) {
    return ChunkingItemProcessor.keyedBy(
        Order::line,
        (order, keys) -> {
          client
              .keyed("import", keys.next())
              .executeUpdate(INSERT, order.id(), order.customer(), order.amount())
              .awaitAccepted(Duration.ofSeconds(30));
          return order;
        });
  }

  @Bean
  Job importJob(
      JobSteps steps,
      FlatFileItemReader<Order> records,
      ChunkingItemProcessor<Order, Order> sending,
      SkipListener<Order, Order> rejects) {
    Step step =
        steps
            .<Order, Order>chunk("import", CHUNK)
            .reader(records)
            .processor(sending)
            .writer(_ -> {})
            .faultTolerant()
            .skip(FlatFileParseException.class)
            .skipLimit(MOST_REJECTS)
            .skipListener(rejects)
            .build();
    return steps.job("import").start(step).build();
  }

  /** Its position is a line of the file, and is stored with each chunk. */
  @Bean
  @StepScope
  FlatFileItemReader<Order> records(@Value("#{jobParameters['file']}") String file) {
    DelimitedLineTokenizer columns = new DelimitedLineTokenizer();
    columns.setNames("id", "customer", "amount");
    return new FlatFileItemReaderBuilder<Order>()
        .name("records")
        .resource(new FileSystemResource(file))
        .encoding("UTF-8")
        .linesToSkip(1)
        .recordSeparatorPolicy(new DefaultRecordSeparatorPolicy())
        .lineMapper((line, number) -> Order.of(number, columns.tokenize(line)))
        .build();
  }

  @Bean
  @Scope(value = "step", proxyMode = ScopedProxyMode.INTERFACES)
  SkipListener<Order, Order> rejects(@Value("#{jobParameters['file']}") String file) {
    return new Rejects(Path.of(file + ".rejects"));
  }
}
