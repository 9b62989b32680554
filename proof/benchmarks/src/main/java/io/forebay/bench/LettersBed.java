/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import com.zaxxer.hikari.HikariDataSource;
import io.forebay.batch.ChunkingItemProcessor;
import io.forebay.bench.endpoints.Address;
import io.forebay.bench.endpoints.Customer;
import io.forebay.bench.endpoints.LetterTables;
import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ChunkOptions;
import io.forebay.chunk.ChunkedService;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.infrastructure.item.ItemProcessor;

/**
 * The test bed: a PostgreSQL with the contracts, the customers, the letters and the job repository;
 * the product in its own process, which serves customers and addresses; and the same services
 * behind queues in this process, which runs the jobs.
 */
final class LettersBed implements AutoCloseable {

  private final Postgres postgres;
  private final HikariDataSource database = new HikariDataSource();
  private final LetterTables tables;
  private final LettersJobs jobs;
  private final Product product;
  private final Path queueFolder;
  private final LetterServices http;
  private final Map<Long, String> expected = new HashMap<>();
  private LetterServices queues;

  LettersBed(Testbed testbed, Path jar, long contracts) throws Exception {
    postgres = testbed.postgres();
    String url = postgres.create("letters");
    database.setJdbcUrl(url + "?reWriteBatchedInserts=true");
    database.setUsername(Postgres.OWNER);
    database.setMaximumPoolSize(10);
    tables = new LetterTables(database);
    tables.prepare(contracts, Postgres.GATEWAY);
    jobs = new LettersJobs(database);
    product = Product.onPostgres(testbed, jar, List.of(), url, Map.of("bench.letters", "true"));
    http = LetterServices.overHttp(product);
    queueFolder = testbed.newFolder("queues");
    queues = LetterServices.overQueues(queueFolder, tables);
  }

  /** Restarts the services, in both processes, and the database server, with their data. */
  void restart() throws Exception {
    queues.close();
    product.stop();
    postgres.restart();
    database.getHikariPoolMXBean().softEvictConnections();
    product.start();
    queues = LetterServices.overQueues(queueFolder, tables);
  }

  /**
   * Writes letters for the first contracts, and compares them with those of the other contenders.
   *
   * @return the seconds it took
   * @throws IllegalStateException if a letter is missing, or differs from what the first contender
   *     wrote for the same contracts
   */
  double write(LettersContender contender, long contracts) throws Exception {
    PremiumLetters letters = new PremiumLetters(database, jobs.steps(), contracts);
    long run;
    double seconds;
    try (CallCollector collector = new CallCollector()) {
      if (contender == LettersContender.BARE_LOOP_100) {
        run = -1;
        BareLetters bare = new BareLetters(database, inChunks(contender, http, collector));
        long start = System.nanoTime();
        bare.write(collector, run, contracts);
        seconds = (System.nanoTime() - start) / 1e9;
      } else {
        Step step = step(contender, letters, collector);
        long start = System.nanoTime();
        JobExecution execution = jobs.run(step);
        seconds = (System.nanoTime() - start) / 1e9;
        if (execution.getStatus() != BatchStatus.COMPLETED) {
          throw new IllegalStateException(
              Benchmark.title(contender) + " ended " + execution.getExitStatus());
        }
        run = execution.getJobInstanceId();
      }
    }
    check(contender, run, contracts);
    jobs.truncate("letter");
    return seconds;
  }

  private void check(LettersContender contender, long run, long contracts) {
    long written = tables.letters(run);
    if (written != contracts) {
      throw new IllegalStateException(
          "%s wrote %,d letters for %,d contracts"
              .formatted(Benchmark.title(contender), written, contracts));
    }
    String text = jobs.md5OfLetters(run);
    if (!expected.computeIfAbsent(contracts, _ -> text).equals(text)) {
      throw new IllegalStateException(
          "%s wrote letters that differ from those of another contender"
              .formatted(Benchmark.title(contender)));
    }
  }

  private Step step(LettersContender contender, PremiumLetters letters, CallCollector collector) {
    LettersRivals rivals = new LettersRivals(contender, letters, jobs.transactions(), http);
    return switch (contender) {
      case DIRECT_SQL -> letters.perItem("direct", letters::letter);
      case INDIVIDUAL_REST -> rivals.individual();
      case LIST_CALL_WRITER, LIST_CALL_WRITER_100 -> rivals.listCallWriter();
      case ASYNC_ITEM_PROCESSOR -> rivals.asyncItemProcessor();
      case REMOTE_CHUNKING, REMOTE_CHUNKING_100 -> rivals.remoteChunking();
      case CHUNKED_QUEUE_100 ->
          letters.perItem(
              "queue", ChunkingItemProcessor.of(inChunks(contender, queues, collector)));
      default ->
          letters.perItem("rest", ChunkingItemProcessor.of(inChunks(contender, http, collector)));
    };
  }

  private static ItemProcessor<Contract, Letter> inChunks(
      LettersContender contender, LetterServices services, CallCollector collector) {
    ChunkOptions options = ChunkOptions.defaults().withMaxItems(contender.callChunk());
    ChunkedService<Long, @Nullable Customer> customers =
        collector.service("customers", services.customers(), options);
    ChunkedService<Long, @Nullable Address> addresses =
        collector.service("addresses", services.addresses(), options);
    return contract ->
        Letter.of(contract, customers.call(contract.owner()), addresses.call(contract.owner()));
  }

  @Override
  public void close() throws Exception {
    try (database;
        product;
        LetterServices _ = queues;
        http) {
      // closed in reverse order
    }
  }
}
