/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.seed.SeedService;
import io.forebay.bench.seed.ServiceImpl;
import io.forebay.bench.seed.SimpleData;
import io.forebay.bench.seed.SimpleService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.openhft.chronicle.bytes.MethodReader;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.threads.Pauser;

/** The chain of the article: bare method writers and readers of Chronicle Queue. */
final class SeedPipeline extends PipelineChain {

  private final List<Path> folders;
  private final List<SeedService> stages = new ArrayList<>();
  private final List<ChronicleQueue> queues = new ArrayList<>();
  private final ExcerptAppender appender;
  private final ExcerptTailer tailer;
  private final SimpleService writer;
  private final MethodReader answers;
  private final SimpleData data = new SimpleData();

  SeedPipeline(Path folder) {
    folders =
        List.of(
            folder.resolve("pathIn"),
            folder.resolve("stage2"),
            folder.resolve("stage3"),
            folder.resolve("pathOut"));
    ChronicleQueue in = open(folders.getFirst());
    ChronicleQueue out = open(folders.getLast());
    appender = in.createAppender();
    writer = appender.methodWriter(SimpleService.class);
    tailer = out.createTailer();
    tailer.singleThreadedCheckDisabled(true);
    answers = tailer.methodReader((SimpleService) this::arrived);
    for (int i = 0; i < 3; i++) {
      stages.add(
          new SeedService(
              open(folders.get(i)),
              open(folders.get(i + 1)),
              Pauser.yielding(),
              "stage " + (i + 1),
              answers -> new ServiceImpl(answers.methodWriter(SimpleService.class))));
    }
    data.text = TEXT;
    begin();
  }

  private ChronicleQueue open(Path folder) {
    ChronicleQueue queue = ChronicleQueue.single(folder.toString());
    queues.add(queue);
    return queue;
  }

  private void arrived(SimpleData answer) {
    arrived(answer.number, answer.ts0);
  }

  @Override
  void write(long number, long due) {
    data.number = number;
    data.ts = due;
    data.ts0 = due;
    writer.simpleCall(data);
  }

  @Override
  boolean poll() {
    if (answers.readOne()) {
      return true;
    }
    for (SeedService stage : stages) {
      Throwable failure = stage.failure();
      if (failure != null) {
        throw new IllegalStateException("a stage has ended", failure);
      }
    }
    return false;
  }

  @Override
  long storedBytes() {
    try {
      return QueueBytes.used(folders);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  void closeStages() {
    stages.forEach(SeedService::close);
    appender.close();
    tailer.close();
    queues.forEach(ChronicleQueue::close);
  }
}
