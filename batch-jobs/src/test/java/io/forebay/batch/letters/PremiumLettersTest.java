/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.letters;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.batch.TestBatch;
import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.ChunkOptions;
import io.forebay.chunk.ChunkedService;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.step.Step;
import org.springframework.jdbc.core.JdbcTemplate;

class PremiumLettersTest {

  private static final int CONTRACTS = 250;

  private TestBatch batch;
  private LetterTables tables;
  private PremiumLetters letters;
  private Step direct;

  @BeforeEach
  void open() throws Exception {
    batch = new TestBatch();
    tables = new LetterTables(batch.database());
    tables.prepare(100);
    tables.prepare(CONTRACTS);
    letters = new PremiumLetters(batch.database(), batch.steps(), 100, CONTRACTS);
    direct = letters.direct("direct");
  }

  private List<Map<String, Object>> written(JobExecution execution) {
    return new JdbcTemplate(batch.database())
        .queryForList(
            "select contract, body from letter where run = ? order by contract",
            execution.getJobInstanceId());
  }

  @Test
  void everyKindOfAccessWritesTheSameLetters() throws Exception {
    Lookups lookups =
        new Lookups() {
          @Override
          public @Nullable Customer customer(long id) {
            return tables.customers(List.of(id)).getFirst();
          }

          @Override
          public @Nullable Address address(long customer) {
            return tables.addresses(List.of(customer)).getFirst();
          }
        };
    try (CallCollector collector = new CallCollector()) {
      ChunkedService<Long, @Nullable Customer> customers =
          collector.service(
              "customers", ChunkFunction.inOrder(tables::customers), ChunkOptions.defaults());
      ChunkedService<Long, @Nullable Address> addresses =
          collector.service(
              "addresses", ChunkFunction.inOrder(tables::addresses), ChunkOptions.defaults());
      List<Map<String, Object>> expected = written(batch.run("direct", direct));
      assertThat(expected).hasSize(CONTRACTS);
      assertThat(String.valueOf(expected.getFirst().get("BODY")))
          .matches(
              "\\w+ \\w+\n[\\w ]+ \\d+\n\\d{5} \\S+\n\nThe premium of your contract \\w+ is \\d+\\.\\d\\d\\.");
      assertThat(written(batch.run("individual", letters.individual("individual", lookups))))
          .isEqualTo(expected);
      assertThat(written(batch.run("chunked", letters.chunked("chunked", customers, addresses))))
          .isEqualTo(expected);
      assertThat(customers.figures().chunks()).isEqualTo(3);
    }
  }

  @Test
  void anUnknownOwnerStopsTheJobAndItResumesAfterTheLastCommittedLetters() throws Exception {
    JdbcTemplate jdbc = new JdbcTemplate(batch.database());
    jdbc.update("update contract set owner = 9999 where id = 150");
    JobExecution failed = batch.run("letters", direct);
    assertThat(failed.getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(failed.getAllFailureExceptions().getFirst())
        .rootCause()
        .hasMessage("the owner of contract 150 is unknown; no letter was written");
    assertThat(written(failed)).hasSize(100);

    jdbc.update("update contract set owner = 1 where id = 150");
    JobExecution restarted = batch.run("letters", direct);
    assertThat(restarted.getJobInstanceId()).isEqualTo(failed.getJobInstanceId());
    assertThat(written(restarted)).hasSize(CONTRACTS);
  }

  /** The second begins and ends while the first is within its first chunk. */
  @Test
  void concurrentExecutionsOfAStepHaveSeparateReadPositions() throws Exception {
    AtomicReference<@Nullable Step> step = new AtomicReference<>();
    AtomicBoolean first = new AtomicBoolean(true);
    AtomicReference<@Nullable JobExecution> second = new AtomicReference<>();
    Lookups lookups =
        new Lookups() {
          @Override
          public @Nullable Customer customer(long id) throws Exception {
            if (first.getAndSet(false)) {
              Step same = Objects.requireNonNull(step.get());
              second.set(CompletableFuture.supplyAsync(() -> run("second", same)).get());
            }
            return tables.customers(List.of(id)).getFirst();
          }

          @Override
          public @Nullable Address address(long customer) {
            return tables.addresses(List.of(customer)).getFirst();
          }
        };
    step.set(letters.individual("letters", lookups));

    assertThat(written(run("first", Objects.requireNonNull(step.get())))).hasSize(CONTRACTS);
    assertThat(written(Objects.requireNonNull(second.get()))).hasSize(CONTRACTS);
  }

  private JobExecution run(String job, Step step) {
    try {
      return batch.run(job, step);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
