/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.prices;

import io.forebay.batch.ChunkingItemProcessor;
import io.forebay.batch.RestartContext;
import io.forebay.chunk.ChunkOptions;
import io.forebay.chunk.ChunkedService;
import io.forebay.chunk.Collector;
import io.forebay.chunk.Ticker;
import io.forebay.chunk.remote.ChunkCodec;
import io.forebay.chunk.remote.ListService;
import io.forebay.chunk.remote.QueueChunks;
import io.forebay.jdbc.gateway.StatementClient;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.batch.core.configuration.annotation.StepScope;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.item.database.JdbcBatchItemWriter;
import org.springframework.batch.infrastructure.item.database.JdbcPagingItemReader;
import org.springframework.batch.infrastructure.item.database.Order;
import org.springframework.batch.infrastructure.item.database.builder.JdbcBatchItemWriterBuilder;
import org.springframework.batch.infrastructure.item.database.builder.JdbcPagingItemReaderBuilder;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;

/** The job: computes a new price for every article. */
@Configuration(proxyBeanMethods = false)
class Reprice {

  private static final int STEP_CHUNK = 500;
  private static final Duration ACCEPTED = Duration.ofSeconds(30);

  /** A service is a method that takes a list. It could also run in another process. */
  @Bean
  ListService<Article, BigDecimal> prices() {
    return ListService.inOrder(
        "prices",
        ChunkCodec.of(Article.class, BigDecimal.class),
        articles ->
            articles.stream().map(it -> it.cost().multiply(new BigDecimal("1.20"))).toList());
  }

  @Bean
  Collector collector() {
    return new Collector(Ticker.every(Duration.ofMillis(10)));
  }

  /** The code for one article; its calls travel in chunks. */
  @Bean
  ChunkingItemProcessor<Article, Priced> pricing(
      Collector collector, QueueChunks<Article, BigDecimal> pricesChunks, StatementClient client) {
    ChunkedService<Article, BigDecimal> prices =
        collector.service("prices", pricesChunks, ChunkOptions.defaults());
    return ChunkingItemProcessor.<Article, Priced>builder(collector)
        .identifiedBy(Article::id)
        .body((article, keys) -> {
          BigDecimal price = prices.call(article);
          client
              .keyed("reprice", keys.next())
              .executeUpdate(
                  "insert into price_change (article, price) values (?, ?)", article.id(), price)
              .awaitAccepted(ACCEPTED);
          return new Priced(article.id(), price);
        })
        .build();
  }

  /** The articles are in the database of the job repository, so one commit covers both. */
  @Bean
  Job repriceJob(
      JobRepository repository,
      @Qualifier("forebayJobsTransactionManager") PlatformTransactionManager transactions,
      JdbcPagingItemReader<Article> articles,
      ChunkingItemProcessor<Article, Priced> pricing,
      JdbcBatchItemWriter<Priced> priced) {
    return new JobBuilder("reprice", repository)
        .start(
            new StepBuilder("reprice", repository)
                .<Article, Priced>chunk(STEP_CHUNK)
                .reader(articles)
                .processor(pricing)
                .writer(priced)
                .transactionManager(transactions)
                .listener(new RestartContext(repository))
                .build())
        .build();
  }

  /** A reader has a position, so each execution needs its own. */
  @Bean
  @StepScope
  JdbcPagingItemReader<Article> articles(@Qualifier("forebayJobsDataSource") DataSource database)
      throws Exception {
    return new JdbcPagingItemReaderBuilder<Article>()
        .name("articles")
        .dataSource(database)
        .selectClause("id, cost")
        .fromClause("article")
        .sortKeys(Map.of("id", Order.ASCENDING))
        .pageSize(STEP_CHUNK)
        .rowMapper((row, _) -> new Article(row.getLong(1), row.getBigDecimal(2)))
        .build();
  }

  @Bean
  JdbcBatchItemWriter<Priced> priced(@Qualifier("forebayJobsDataSource") DataSource database) {
    return new JdbcBatchItemWriterBuilder<Priced>()
        .dataSource(database)
        .sql("update article set price = ? where id = ?")
        .itemPreparedStatementSetter((article, statement) -> {
          statement.setBigDecimal(1, article.price());
          statement.setLong(2, article.id());
        })
        .build();
  }
}
