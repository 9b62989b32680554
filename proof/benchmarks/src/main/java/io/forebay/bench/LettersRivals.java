/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.endpoints.Address;
import io.forebay.bench.endpoints.Customer;
import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.ChunkOptions;
import io.forebay.chunk.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.scope.context.StepSynchronizationManager;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepContribution;
import org.springframework.batch.core.step.builder.ChunkOrientedStepBuilder;
import org.springframework.batch.infrastructure.item.Chunk;
import org.springframework.batch.infrastructure.item.ItemProcessor;
import org.springframework.batch.infrastructure.item.ItemWriter;
import org.springframework.batch.integration.async.AsyncItemProcessor;
import org.springframework.batch.integration.async.AsyncItemWriter;
import org.springframework.batch.integration.chunk.ChunkMessageChannelItemWriter;
import org.springframework.batch.integration.chunk.ChunkProcessorChunkRequestHandler;
import org.springframework.batch.integration.chunk.ChunkRequest;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.integration.channel.ExecutorChannel;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.core.MessagingTemplate;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The steps that Spring Batch users write without Forebay, each as short as they would write it.
 */
final class LettersRivals {

  /** The number of concurrent requests: as many as a service performs at the same time. */
  private static final int REQUESTS = 32;

  /** The number of step chunks that workers perform at the same time. */
  private static final int WORKERS = 4;

  private static final long REPLY_MILLIS = 30_000;

  /** Requests to one service at the same time, from all workers: as many as the collector sends. */
  private static final int IN_FLIGHT = ChunkOptions.defaults().maxInFlight();

  private final LettersContender contender;
  private final PremiumLetters letters;
  private final TransactionTemplate transactions;
  private final LetterServices services;

  /**
   * @param transactions those of the letters' database
   */
  LettersRivals(
      LettersContender contender,
      PremiumLetters letters,
      TransactionTemplate transactions,
      LetterServices services) {
    this.contender = contender;
    this.letters = letters;
    this.transactions = transactions;
    this.services = services;
  }

  /** The writer calls each service with all contracts of a step chunk. */
  Step listCallWriter() {
    return letters.step(
        Benchmark.title(contender),
        (ChunkOrientedStepBuilder<Contract, Contract> step) ->
            step.writer(contracts -> writeAll(contracts, IN_FLIGHT)));
  }

  private void writeAll(Chunk<? extends Contract> contracts, int inFlight) throws Exception {
    List<Long> owners = new ArrayList<>();
    contracts.forEach(contract -> owners.add(contract.owner()));
    List<@Nullable Customer> found = list(services.customers(), owners, inFlight);
    List<@Nullable Address> homes = list(services.addresses(), owners, inFlight);
    List<Letter> written = new ArrayList<>();
    for (int i = 0; i < owners.size(); i++) {
      written.add(Letter.of(contracts.getItems().get(i), found.get(i), homes.get(i)));
    }
    letters.write(new Chunk<>(written));
  }

  private <R> List<@Nullable R> list(
      ChunkFunction<Long, @Nullable R> service, List<Long> keys, int inFlight) throws Exception {
    List<Callable<List<Reply<@Nullable R>>>> requests = new ArrayList<>();
    for (int from = 0; from < keys.size(); from += contender.callChunk()) {
      List<Long> some = keys.subList(from, Math.min(keys.size(), from + contender.callChunk()));
      requests.add(() -> service.perform(some).toCompletableFuture().get());
    }
    List<@Nullable R> results = new ArrayList<>();
    if (requests.size() == 1) {
      addTo(results, requests.getFirst().call());
      return results;
    }
    try (ExecutorService threads =
        Executors.newFixedThreadPool(inFlight, Thread.ofVirtual().factory())) {
      for (Future<List<Reply<@Nullable R>>> answer : threads.invokeAll(requests)) {
        addTo(results, answer.get());
      }
    }
    return results;
  }

  private static <R> void addTo(List<@Nullable R> results, List<Reply<@Nullable R>> replies)
      throws Exception {
    for (Reply<@Nullable R> reply : replies) {
      switch (reply) {
        case Reply.Result<@Nullable R> result -> results.add(result.value());
        case Reply.Failure<@Nullable R> failed -> throw failed.failure();
      }
    }
  }

  /** Calls the services for one contract at a time. */
  Step individual() {
    return letters.perItem("individual", single());
  }

  /** Each item on a virtual thread, with a request for each call. */
  Step asyncItemProcessor() {
    AsyncItemProcessor<Contract, Letter> processor = new AsyncItemProcessor<>(single());
    processor.setTaskExecutor(threads(REQUESTS));
    return letters.step(
        "async-item-processor",
        (ChunkOrientedStepBuilder<Contract, Future<Letter>> step) ->
            step.processor(processor).writer(new AsyncItemWriter<Letter>(letters::write)));
  }

  /**
   * Workers get step chunks over a channel, and each calls each service with all contracts of its
   * chunk and commits the letters. Channels and workers are in this process; so nothing is
   * serialized and no broker stores a message.
   */
  Step remoteChunking() {
    return letters.step(
        Benchmark.title(contender),
        (ChunkOrientedStepBuilder<Contract, Contract> step) -> step.writer(toWorkers()));
  }

  private ItemWriter<Contract> toWorkers() {
    ChunkProcessorChunkRequestHandler<Contract> worker = new ChunkProcessorChunkRequestHandler<>();
    worker.setChunkProcessor(this::writeInWorker);
    ExecutorChannel requests = new ExecutorChannel(threads(WORKERS));
    QueueChannel replies = new QueueChannel();
    requests.subscribe(message -> {
      try {
        @SuppressWarnings("unchecked")
        ChunkRequest<Contract> request = (ChunkRequest<Contract>) message.getPayload();
        replies.send(new GenericMessage<>(worker.handle(request)));
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    });
    MessagingTemplate messages = new MessagingTemplate(requests);
    messages.setReceiveTimeout(REPLY_MILLIS);
    ChunkMessageChannelItemWriter<Contract> writer = new ChunkMessageChannelItemWriter<>();
    writer.setMessagingOperations(messages);
    writer.setReplyChannel(replies);
    return writer;
  }

  private void writeInWorker(Chunk<Contract> contracts, StepContribution contribution) {
    StepSynchronizationManager.register(contribution.getStepExecution());
    try {
      transactions.executeWithoutResult(_ -> {
        try {
          writeAll(contracts, IN_FLIGHT / WORKERS);
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      });
    } finally {
      StepSynchronizationManager.close();
    }
  }

  private ItemProcessor<Contract, Letter> single() {
    return contract ->
        Letter.of(
            contract,
            one(services.customers(), contract.owner()),
            one(services.addresses(), contract.owner()));
  }

  private static <R> @Nullable R one(ChunkFunction<Long, @Nullable R> service, long key)
      throws Exception {
    List<@Nullable R> result = new ArrayList<>();
    addTo(result, service.perform(List.of(key)).toCompletableFuture().get());
    return result.getFirst();
  }

  private static SimpleAsyncTaskExecutor threads(int limit) {
    SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("letters-");
    executor.setVirtualThreads(true);
    executor.setConcurrencyLimit(limit);
    return executor;
  }
}
