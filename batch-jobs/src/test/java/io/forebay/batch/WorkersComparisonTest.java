/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.launch.JobInstanceAlreadyCompleteException;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.item.ChunkProcessor;
import org.springframework.batch.infrastructure.item.ItemWriter;
import org.springframework.batch.integration.chunk.ChunkMessageChannelItemWriter;
import org.springframework.batch.integration.chunk.ChunkProcessorChunkRequestHandler;
import org.springframework.batch.integration.chunk.ChunkRequest;
import org.springframework.batch.integration.chunk.ChunkTaskExecutorItemWriter;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.integration.channel.ExecutorChannel;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.core.MessagingTemplate;
import org.springframework.messaging.support.GenericMessage;

/**
 * Compares ways to give step chunks to workers; {@code docs/jobs.md} says what matters of it. Local
 * chunking hands step chunks to threads, remote chunking sends them over channels, here in memory.
 */
class WorkersComparisonTest {

  private static final long REPLY_MILLIS = 3_000;

  private final List<String> written = Collections.synchronizedList(new ArrayList<>());
  private TestBatch batch;

  @BeforeEach
  void open() throws Exception {
    again();
  }

  private void again() throws Exception {
    batch = new TestBatch();
    written.clear();
  }

  private static List<String> names(long from, long to) {
    return LongStream.rangeClosed(from, to).mapToObj(number -> "n" + number).toList();
  }

  private JobExecution run(int items, ItemWriter<Long> writer) throws Exception {
    return batch.run(batch.<Long>step(items, 10).writer(writer).build());
  }

  private static StepExecution step(JobExecution execution) {
    return execution.getStepExecutions().iterator().next();
  }

  private static ItemWriter<Long> local(ChunkProcessor<Long> worker) {
    return new ChunkTaskExecutorItemWriter<>(worker, new SimpleAsyncTaskExecutor());
  }

  private static ItemWriter<Long> remote(ChunkProcessor<Long> worker) {
    return remote(worker, REPLY_MILLIS);
  }

  private static ItemWriter<Long> remote(ChunkProcessor<Long> worker, long replyMillis) {
    ChunkProcessorChunkRequestHandler<Long> handler = new ChunkProcessorChunkRequestHandler<>();
    handler.setChunkProcessor(worker);
    ExecutorChannel requests = new ExecutorChannel(new SimpleAsyncTaskExecutor());
    QueueChannel replies = new QueueChannel();
    requests.subscribe(message -> {
      try {
        @SuppressWarnings("unchecked")
        ChunkRequest<Long> request = (ChunkRequest<Long>) message.getPayload();
        replies.send(new GenericMessage<>(handler.handle(request)));
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    });
    MessagingTemplate messages = new MessagingTemplate(requests);
    messages.setReceiveTimeout(replyMillis);
    ChunkMessageChannelItemWriter<Long> writer = new ChunkMessageChannelItemWriter<>();
    writer.setMessagingOperations(messages);
    writer.setReplyChannel(replies);
    return writer;
  }

  /** Writes the first chunk after the second. */
  private ChunkProcessor<Long> secondFirst() {
    CountDownLatch second = new CountDownLatch(1);
    return (chunk, _) -> {
      if (chunk.getItems().contains(1L)) {
        assertThat(second.await(120, TimeUnit.SECONDS)).isTrue();
      }
      chunk.forEach(number -> written.add("n" + number));
      second.countDown();
    };
  }

  @Test
  void theOrderIsKeptWithinAChunkOnly() throws Exception {
    run(20, local(secondFirst()));
    assertThat(written).hasSize(20);
    assertThat(written.subList(0, 10)).isEqualTo(names(11, 20));

    again();
    run(20, remote(secondFirst()));
    assertThat(written).hasSize(20);
    assertThat(written.subList(0, 10)).isEqualTo(names(11, 20));
  }

  @Test
  void theStepCountsWhatItsWorkersCountAndWithRemoteChunkingAlsoWhatItSends() throws Exception {
    ChunkProcessor<Long> counting =
        (chunk, contribution) -> {
          contribution.incrementFilterCount(1);
          contribution.incrementWriteCount(chunk.size() - 1);
        };
    StepExecution local = step(run(20, local(counting)));
    assertThat(local.getFilterCount()).isZero();
    assertThat(local.getWriteCount()).isEqualTo(18);

    again();
    StepExecution remote = step(run(20, remote(counting)));
    assertThat(remote.getFilterCount()).isEqualTo(2);
    assertThat(remote.getWriteCount()).isEqualTo(20 + 18);
  }

  private ChunkProcessor<Long> failingAt15() {
    return (chunk, _) -> {
      if (chunk.getItems().contains(15L)) {
        throw new IllegalStateException("no name");
      }
      chunk.forEach(number -> written.add("n" + number));
    };
  }

  @Test
  void localChunkingCompletesTheJobAndLosesAFailedChunk() throws Exception {
    JobExecution execution = run(30, local(failingAt15()));

    assertThat(execution.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(step(execution).getSkipCount()).isZero();
    assertThat(written).doesNotContain("n15").hasSize(20);
    assertThatThrownBy(() -> run(30, local(failingAt15())))
        .isInstanceOf(JobInstanceAlreadyCompleteException.class);
  }

  @Test
  void remoteChunkingFailsTheJobAndARestartWaitsInVainForRepliesAndLosesTheChunk()
      throws Exception {
    JobExecution failed = run(30, remote(failingAt15()));
    assertThat(failed.getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(written).doesNotContain("n15").hasSize(20);

    JobExecution restarted =
        run(30, remote((chunk, _) -> chunk.forEach(number -> written.add("n" + number)), 1));
    assertThat(restarted.getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(step(restarted).getFailureExceptions().getFirst())
        .hasMessage("Timed out waiting for back log on open");
    assertThat(written).doesNotContain("n15").hasSize(20);
  }
}
