/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.batch.JobProgress;
import io.forebay.batch.JobSteps;
import io.forebay.bench.endpoints.Address;
import io.forebay.bench.endpoints.Customer;
import io.forebay.bench.endpoints.LetterTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.springframework.batch.core.listener.StepExecutionListener;
import org.springframework.batch.core.scope.context.StepSynchronizationManager;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.builder.ChunkOrientedStepBuilder;
import org.springframework.batch.infrastructure.item.Chunk;
import org.springframework.batch.infrastructure.item.ItemProcessor;
import org.springframework.batch.infrastructure.item.ItemReader;
import org.springframework.batch.infrastructure.item.database.JdbcPagingItemReader;
import org.springframework.batch.infrastructure.item.database.Order;
import org.springframework.batch.infrastructure.item.database.builder.JdbcPagingItemReaderBuilder;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Steps that write one letter per contract. They read and write the same database as the job
 * repository, so that letters and progress are committed together.
 */
final class PremiumLetters {

  private final DataSource database;
  private final LetterTables tables;
  private final JobSteps steps;
  private final long last;

  /**
   * @param steps with a repository in the same database
   * @param last the key of the last contract that gets a letter
   */
  PremiumLetters(DataSource database, JobSteps steps, long last) {
    this.database = database;
    this.tables = new LetterTables(database);
    this.steps = steps;
    this.last = last;
  }

  /** The letter of a contract, using one statement for its owner. */
  Letter letter(Contract contract) {
    return new JdbcTemplate(database)
            .query(
                "select c.id, c.first_name, c.last_name, a.customer, a.street, a.zip, a.city"
                    + " from customer c join address a on a.customer = c.id where c.id = ?",
                (row, _) ->
                    Letter.of(
                        contract,
                        new Customer(row.getLong(1), row.getString(2), row.getString(3)),
                        new Address(
                            row.getLong(4), row.getString(5), row.getString(6), row.getString(7))),
                contract.owner())
            .stream()
            .findFirst()
            .orElseGet(() -> Letter.of(contract, null, null));
  }

  /** A step that writes the letter of one contract at a time. */
  Step perItem(String name, ItemProcessor<Contract, Letter> processor) {
    return step(
        name,
        (ChunkOrientedStepBuilder<Contract, Letter> step) ->
            step.processor(processor).writer(this::write));
  }

  /**
   * A step that reads the contracts, for one execution.
   *
   * @param rest adds what turns them into letters
   */
  <T> Step step(String name, UnaryOperator<ChunkOrientedStepBuilder<Contract, T>> rest) {
    return rest.apply(
            steps
                .<Contract, T>chunk(name, LettersContender.STEP_CHUNK)
                .reader(contracts())
                .listener(progress()))
        .build();
  }

  /** Reports the total number of letters, and how many earlier executions wrote. */
  private StepExecutionListener progress() {
    return new StepExecutionListener() {
      @Override
      public void beforeStep(StepExecution step) {
        JobProgress.total(
            step.getExecutionContext(),
            tables.contracts(last),
            tables.letters(step.getJobExecution().getJobInstanceId()));
      }
    };
  }

  /** Reads the contracts in the order of their keys; a restart resumes after the last one. */
  private ItemReader<Contract> contracts() {
    try {
      JdbcPagingItemReader<Contract> reader =
          new JdbcPagingItemReaderBuilder<Contract>()
              .name("contracts")
              .dataSource(database)
              .selectClause("id, owner, product, premium")
              .fromClause("contract")
              .whereClause("id <= :last")
              .parameterValues(Map.of("last", last))
              .sortKeys(Map.of("id", Order.ASCENDING))
              .pageSize(LettersContender.STEP_CHUNK)
              .rowMapper((row, _) ->
                  new Contract(
                      row.getLong(1), row.getLong(2), row.getString(3), row.getBigDecimal(4)))
              .build();
      reader.afterPropertiesSet();
      return reader;
    } catch (Exception e) {
      throw new IllegalStateException("the contracts cannot be read", e);
    }
  }

  /** Writes the letters of the running step in one batch. */
  void write(Chunk<? extends Letter> letters) {
    long run =
        Objects.requireNonNull(StepSynchronizationManager.getContext())
            .getStepExecution()
            .getJobExecution()
            .getJobInstanceId();
    List<Object[]> rows = new ArrayList<>(letters.size());
    letters.forEach(letter -> rows.add(new Object[] {run, letter.contract(), letter.text()}));
    new JdbcTemplate(database)
        .batchUpdate("insert into letter (run, contract, body) values (?, ?, ?)", rows);
  }
}
