/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import com.zaxxer.hikari.HikariDataSource;
import io.forebay.bench.endpoints.Address;
import io.forebay.bench.endpoints.Customer;
import io.forebay.bench.endpoints.LetterTables;
import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.ChunkOptions;
import io.forebay.chunk.ChunkedService;
import io.forebay.chunk.remote.ChunkCodec;
import io.forebay.chunk.remote.HttpChunks;
import io.forebay.chunk.remote.HttpOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.step.Step;

/**
 * The test bed: a PostgreSQL with the contracts, the customers, the letters and the job repository;
 * the product in its own process, which serves customers and addresses; and the same services
 * behind queues in this process, which runs the jobs.
 */
final class LettersBed implements AutoCloseable {

  private static final ChunkCodec<Long, @Nullable Customer> CUSTOMERS =
      ChunkCodec.of(Long.class, Customer.class);
  private static final ChunkCodec<Long, @Nullable Address> ADDRESSES =
      ChunkCodec.of(Long.class, Address.class);

  private final Postgres postgres;
  private final HikariDataSource database;
  private final LetterTables tables;
  private final LettersJobs jobs;
  private final Product product;
  private final Path queueFolder;
  private final HttpChunks<Long, @Nullable Customer> customers;
  private final HttpChunks<Long, @Nullable Address> addresses;
  private final Map<Long, String> expected = new HashMap<>();
  private LettersQueues queues;

  private LettersBed(
      Postgres postgres,
      HikariDataSource database,
      LettersJobs jobs,
      Product product,
      Path queueFolder) {
    this.postgres = postgres;
    this.database = database;
    this.tables = new LetterTables(database);
    this.jobs = jobs;
    this.product = product;
    this.queueFolder = queueFolder;
    queues = LettersQueues.open(queueFolder, tables);
    customers = chunks("customers", CUSTOMERS);
    addresses = chunks("addresses", ADDRESSES);
  }

  private <R> HttpChunks<Long, R> chunks(String name, ChunkCodec<Long, R> codec) {
    return HttpChunks.to(
        URI.create("http://127.0.0.1:" + product.port() + "/api/v1/chunks/" + name),
        codec,
        HttpOptions.defaults().withToken(product::token));
  }

  static LettersBed open(Testbed testbed, Postgres postgres, Path jar, long contracts)
      throws Exception {
    String url = postgres.create("letters");
    HikariDataSource database = new HikariDataSource();
    database.setJdbcUrl(url + "?reWriteBatchedInserts=true");
    database.setUsername(Postgres.OWNER);
    database.setMaximumPoolSize(10);
    new LetterTables(database).prepare(Math.toIntExact(contracts), Postgres.GATEWAY);
    LettersJobs jobs = LettersJobs.on(database);
    Product product = Product.start(testbed, jar, List.of(), url, Map.of("bench.letters", "true"));
    return new LettersBed(postgres, database, jobs, product, testbed.newFolder("queues"));
  }

  /** Restarts the services, in both processes, and the database server, with their data. */
  void restart() throws Exception {
    queues.close();
    product.stop();
    postgres.restart();
    database.getHikariPoolMXBean().softEvictConnections();
    product.startAgain();
    queues = LettersQueues.open(queueFolder, tables);
  }

  /**
   * Writes letters for the first contracts, and compares them with those of the other contenders.
   *
   * @return the seconds it took
   * @throws IllegalStateException if a letter is missing, or differs from what the first contender
   *     wrote for the same contracts
   */
  double write(LettersContender contender, long contracts) throws Exception {
    PremiumLetters letters =
        new PremiumLetters(database, jobs.steps(), contender.stepChunk(), contracts);
    long run;
    double seconds;
    try (CallCollector collector = new CallCollector()) {
      if (contender == LettersContender.BARE_LOOP_100) {
        run = -1;
        BareLetters bare =
            new BareLetters(
                database,
                service(collector, "customers", customers, contender),
                service(collector, "addresses", addresses, contender));
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
              contender.title() + " ended " + execution.getExitStatus());
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
              .formatted(contender.title(), written, contracts));
    }
    String text = jobs.md5OfLetters(run);
    if (!expected.computeIfAbsent(contracts, _ -> text).equals(text)) {
      throw new IllegalStateException(
          "%s wrote letters that differ from those of another contender"
              .formatted(contender.title()));
    }
  }

  private Step step(LettersContender contender, PremiumLetters letters, CallCollector collector) {
    LettersRivals rivals =
        new LettersRivals(contender, letters, jobs.transactions(), customers, addresses);
    return switch (contender) {
      case DIRECT_SQL -> letters.direct("direct");
      case INDIVIDUAL_REST ->
          letters.individual("individual", new SingleCalls(customers, addresses));
      case LIST_CALL_WRITER, LIST_CALL_WRITER_100 -> rivals.listCallWriter();
      case ASYNC_ITEM_PROCESSOR -> rivals.asyncItemProcessor();
      case CONCURRENT_STEP -> rivals.concurrentStep();
      case REMOTE_CHUNKING, REMOTE_CHUNKING_100 -> rivals.remoteChunking();
      case CHUNKED_QUEUE_100 ->
          letters.chunked(
              "queue",
              service(collector, "customers", queues.customers(), contender),
              service(collector, "addresses", queues.addresses(), contender));
      default ->
          letters.chunked(
              "rest",
              service(collector, "customers", customers, contender),
              service(collector, "addresses", addresses, contender));
    };
  }

  private static <R> ChunkedService<Long, R> service(
      CallCollector collector,
      String name,
      ChunkFunction<Long, R> function,
      LettersContender contender) {
    return collector.service(
        name, function, ChunkOptions.defaults().withMaxItems(contender.callChunk()));
  }

  @Override
  public void close() throws Exception {
    try (database;
        product;
        LettersQueues _ = queues;
        customers;
        addresses) {
      // closed in reverse order
    }
  }
}
