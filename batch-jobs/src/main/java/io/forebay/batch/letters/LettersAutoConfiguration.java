/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.letters;

import io.forebay.batch.JobSteps;
import io.forebay.batch.JobsDataSource;
import io.forebay.batch.jobs.JobDescription;
import io.forebay.chunk.CallCollector;
import io.forebay.chunk.Chunked;
import io.forebay.chunk.ChunkedService;
import io.forebay.chunk.remote.ChunkCodec;
import io.forebay.chunk.remote.HttpChunks;
import io.forebay.chunk.remote.HttpOptions;
import io.forebay.chunk.remote.ListService;
import io.forebay.system.SystemDatabase;
import java.lang.reflect.Type;
import java.net.URI;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The job premium-letters and the two services that it calls, if enabled. */
@AutoConfiguration(
    afterName = "io.forebay.system.SystemDatabaseAutoConfiguration",
    beforeName = "io.forebay.batch.jobs.JobsAutoConfiguration")
@ConditionalOnProperty("forebay.jobs.letters.enabled")
@ConditionalOnBean(SystemDatabase.class)
@EnableConfigurationProperties(LettersProperties.class)
class LettersAutoConfiguration {

  private static final String CUSTOMERS = "customers";
  private static final String ADDRESSES = "addresses";

  @Bean
  LetterTables forebayLetterTables(
      @JobsDataSource DataSource database, @Qualifier("forebayJobsDatabase") SystemDatabase jobs) {
    return new LetterTables(database, jobs::createTables);
  }

  @Bean
  ListService<Long, @Nullable Customer> customers(LetterTables tables) {
    return ListService.inOrder(
        CUSTOMERS, ChunkCodec.of((Type) Long.class, Customer.class), tables::customers);
  }

  @Bean
  ListService<Long, @Nullable Address> addresses(LetterTables tables) {
    return ListService.inOrder(
        ADDRESSES, ChunkCodec.of((Type) Long.class, Address.class), tables::addresses);
  }

  @Bean
  HttpChunks<Long, @Nullable Customer> customersOverHttp(
      LettersProperties properties, ListService<Long, @Nullable Customer> customers) {
    return overHttp(properties, CUSTOMERS, customers.codec());
  }

  @Bean
  HttpChunks<Long, @Nullable Address> addressesOverHttp(
      LettersProperties properties, ListService<Long, @Nullable Address> addresses) {
    return overHttp(properties, ADDRESSES, addresses.codec());
  }

  private static <R extends @Nullable Object> HttpChunks<Long, R> overHttp(
      LettersProperties properties, String name, ChunkCodec<Long, R> codec) {
    return HttpChunks.to(
        URI.create(properties.services().toString().replaceFirst("/?$", "/" + name)),
        codec,
        HttpOptions.defaults()
            .withToken(() -> {
              String token = properties.token();
              if (token == null) {
                throw new IllegalStateException(
                    "there is no token for calls to %s; set forebay.jobs.letters.token"
                        .formatted(properties.services()));
              }
              return token;
            }));
  }

  /** Has the same limits over HTTP as over queues. */
  @Bean
  CallCollector lettersOverHttp() {
    return new CallCollector();
  }

  @Bean
  LettersJob forebayLettersJob(JobRepository repository) {
    return new LettersJob(repository);
  }

  @Bean
  JobDescription forebayLettersDescription() {
    return LettersJob.DESCRIPTION;
  }

  @Bean
  Job premiumLetters(
      LettersJob job,
      LetterTables tables,
      @JobsDataSource DataSource database,
      JobSteps steps,
      LettersProperties properties,
      CallCollector lettersOverHttp,
      HttpChunks<Long, @Nullable Customer> customersOverHttp,
      HttpChunks<Long, @Nullable Address> addressesOverHttp,
      @Chunked(CUSTOMERS) ChunkedService<Long, @Nullable Customer> customers,
      @Chunked(ADDRESSES) ChunkedService<Long, @Nullable Address> addresses) {
    return job.job(
        job.prepare(tables, properties.contracts()),
        new PremiumLetters(database, steps, properties.stepChunk(), Long.MAX_VALUE),
        new SingleCalls(customersOverHttp, addressesOverHttp),
        new LettersJob.Services(
            lettersOverHttp.service(CUSTOMERS, customersOverHttp, customers.options()),
            lettersOverHttp.service(ADDRESSES, addressesOverHttp, addresses.options())),
        new LettersJob.Services(customers, addresses));
  }
}
