/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.demo;

import io.forebay.batch.ChunkingItemProcessor;
import io.forebay.batch.JobProgress;
import io.forebay.batch.JobSteps;
import io.forebay.batch.JobsDataSource;
import io.forebay.batch.jobs.JobDescription;
import io.forebay.batch.jobs.JobDescription.Parameter;
import io.forebay.batch.jobs.JobDescription.Type;
import io.forebay.jdbc.gateway.StatementClient;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.batch.core.configuration.annotation.StepScope;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.listener.StepExecutionListener;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.database.JdbcPagingItemReader;
import org.springframework.batch.infrastructure.item.database.Order;
import org.springframework.batch.infrastructure.item.database.builder.JdbcPagingItemReaderBuilder;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.JdbcTemplate;

/** The job {@code invoices}: sends an invoice of each order through the gateway of the payments. */
@Configuration(proxyBeanMethods = false)
@Profile("demo")
class Invoices {

  private static final String JOB = "invoices";
  private static final String SEND =
      "insert into invoice (order_number, amount, sent_at) values (?, ?, current_timestamp)";
  private static final int CHUNK = 100;

  record Invoice(long number, int quantity, BigDecimal price) {

    BigDecimal amount() {
      return price.multiply(BigDecimal.valueOf(quantity));
    }
  }

  @Bean
  JobDescription invoicesDescription() {
    return JobDescription.of(JOB, "Sends an invoice of each order.")
        .with(Parameter.required("run", Type.TEXT, "Any name; each name is a separate run."));
  }

  @Bean
  Job invoicesJob(
      JobSteps steps,
      JdbcPagingItemReader<Invoice> orderedItems,
      @Qualifier("payments") StatementClient payments,
      @JobsDataSource DataSource database) {
    Step send =
        steps
            .<Invoice, Invoice>chunk("send", CHUNK)
            .reader(orderedItems)
            .processor(
                ChunkingItemProcessor.keyedBy(
                    Invoice::number,
                    (invoice, keys) -> {
                      payments
                          .keyed(JOB, keys.next())
                          .executeUpdate(SEND, invoice.number(), invoice.amount())
                          .get();
                      return invoice;
                    }))
            .writer(_ -> {})
            .listener(new Progress(new JdbcTemplate(database)))
            .build();
    return steps.job(JOB).start(send).build();
  }

  @Bean
  @StepScope
  JdbcPagingItemReader<Invoice> orderedItems(@JobsDataSource DataSource database) throws Exception {
    return new JdbcPagingItemReaderBuilder<Invoice>()
        .name("orders")
        .dataSource(database)
        .selectClause("number, quantity, price")
        .fromClause("orders")
        .sortKeys(Map.of("number", Order.ASCENDING))
        .pageSize(CHUNK)
        .dataRowMapper(Invoice.class)
        .build();
  }

  private record Progress(JdbcTemplate orders) implements StepExecutionListener {

    @Override
    public void beforeStep(StepExecution step) {
      Long count = orders.queryForObject("select count(*) from orders", Long.class);
      JobProgress.total(step, Objects.requireNonNull(count));
      JobProgress.feeds(step.getExecutionContext(), "payments");
    }
  }
}
