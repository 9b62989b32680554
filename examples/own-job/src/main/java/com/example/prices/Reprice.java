/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.prices;

import io.forebay.batch.ChunkingItemProcessor;
import io.forebay.batch.JobSteps;
import io.forebay.batch.JobsDataSource;
import io.forebay.chunk.Chunked;
import io.forebay.chunk.ChunkedService;
import io.forebay.chunk.remote.ChunkCodec;
import io.forebay.chunk.remote.ListService;
import io.forebay.jdbc.gateway.StatementClient;
import java.math.BigDecimal;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.batch.core.configuration.annotation.StepScope;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.infrastructure.item.database.JdbcBatchItemWriter;
import org.springframework.batch.infrastructure.item.database.JdbcPagingItemReader;
import org.springframework.batch.infrastructure.item.database.Order;
import org.springframework.batch.infrastructure.item.database.builder.JdbcBatchItemWriterBuilder;
import org.springframework.batch.infrastructure.item.database.builder.JdbcPagingItemReaderBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.namedparam.SimplePropertySqlParameterSource;

/** The job: computes a new price for every article. */
@Configuration(proxyBeanMethods = false)
class Reprice {

  private static final String CHANGE = "insert into price_change (article, price) values (?, ?)";

  /** A service is a method that takes a list. It could also run in another process. */
  @Bean
  ListService<Article, BigDecimal> prices() {
    return ListService.inOrder(
        "prices",
        ChunkCodec.of(Article.class, BigDecimal.class),
        articles -> articles.stream().map(Article::withMargin).toList());
  }

  /** The code for one article; its calls travel in chunks. */
  @Bean
  ChunkingItemProcessor<Article, Priced> pricing(
      @Chunked("prices") ChunkedService<Article, BigDecimal> prices, StatementClient client) {
    return ChunkingItemProcessor.keyedBy(
        Article::id,
        (article, keys) -> {
          Priced priced = new Priced(article.id(), prices.call(article));
          client
              .keyed("reprice", keys.next())
              .executeUpdate(CHANGE, priced.id(), priced.price())
              .get();
          return priced;
        });
  }

  /** The articles are in the database of the job repository, so one commit covers both. */
  @Bean
  Job repriceJob(
      JobSteps steps,
      JdbcPagingItemReader<Article> articles,
      ChunkingItemProcessor<Article, Priced> pricing,
      JdbcBatchItemWriter<Priced> priced) {
    Step step =
        steps
            .<Article, Priced>chunk("reprice", 500)
            .reader(articles)
            .processor(pricing)
            .writer(priced)
            .build();
    return steps.job("reprice").start(step).build();
  }

  /** A reader has a position, so each execution needs its own. */
  @Bean
  @StepScope
  JdbcPagingItemReader<Article> articles(@JobsDataSource DataSource database) throws Exception {
    return new JdbcPagingItemReaderBuilder<Article>()
        .name("articles")
        .dataSource(database)
        .selectClause("id, cost")
        .fromClause("article")
        .sortKeys(Map.of("id", Order.ASCENDING))
        .pageSize(500)
        .dataRowMapper(Article.class)
        .build();
  }

  @Bean
  JdbcBatchItemWriter<Priced> priced(@JobsDataSource DataSource database) {
    return new JdbcBatchItemWriterBuilder<Priced>()
        .dataSource(database)
        .sql("update article set price = :price where id = :id")
        .itemSqlParameterSourceProvider(SimplePropertySqlParameterSource::new)
        .build();
  }
}
