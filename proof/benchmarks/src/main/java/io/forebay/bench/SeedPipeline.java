/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.seed.ServiceWrapper;
import io.forebay.bench.seed.SimpleData;
import io.forebay.bench.seed.SimpleService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import net.openhft.chronicle.bytes.MethodReader;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;

/** The chain of the article: bare method writers and readers of Chronicle Queue. */
final class SeedPipeline extends PipelineChain {

  private final List<Path> folders;
  private final List<ServiceWrapper> stages;
  private final ChronicleQueue in;
  private final ChronicleQueue out;
  private final ExcerptAppender appender;
  private final ExcerptTailer tailer;
  private final SimpleService writer;
  private final MethodReader answers;
  private final SimpleData data = new SimpleData();

  SeedPipeline(Path folder, PipelineWait wait) {
    super(wait);
    folders =
        List.of(
            folder.resolve("pathIn"),
            folder.resolve("stage2"),
            folder.resolve("stage3"),
            folder.resolve("pathOut"));
    in = ChronicleQueue.single(folders.getFirst().toString());
    out = ChronicleQueue.single(folders.getLast().toString());
    appender = in.createAppender();
    writer = appender.methodWriter(SimpleService.class);
    tailer = out.createTailer();
    tailer.singleThreadedCheckDisabled(true);
    answers = tailer.methodReader((SimpleService) this::arrived);
    stages =
        List.of(
            new ServiceWrapper(folders.get(0), folders.get(1), wait.pauser()),
            new ServiceWrapper(folders.get(1), folders.get(2), wait.pauser()),
            new ServiceWrapper(folders.get(2), folders.get(3), wait.pauser()));
    data.text = TEXT;
    begin();
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
    for (ServiceWrapper stage : stages) {
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
    stages.forEach(ServiceWrapper::close);
    appender.close();
    tailer.close();
    in.close();
    out.close();
  }
}
