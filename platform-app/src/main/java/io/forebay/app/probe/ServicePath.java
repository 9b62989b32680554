/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import io.forebay.background.Outage;
import io.forebay.background.TailLoop;
import io.forebay.call.CallReader;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.hosting.HostedService;
import io.forebay.hosting.ServiceQueues;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.Tailer;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** A message is complete when the answer of a component was read. */
final class ServicePath extends ProbePath {

  private static final Protocol<ProbeCalls> CALLS = Protocol.of(ProbeCalls.class);
  private static final Protocol<ProbeAnswers> ANSWERS = Protocol.of(ProbeAnswers.class);
  private static final int AT_ONCE = 1_000;

  private final HostedService<ProbeCalls, ProbeAnswers> service;
  private final Writer<ProbeCalls> writer;
  private final TailLoop answers;
  private final byte[] content;

  ServicePath(QueueBackend backend, String name, int bytes) throws InterruptedException {
    content = new byte[bytes];
    ServiceQueues queues = ServiceQueues.open(backend, name, 1, KEPT);
    ServiceOptions options = ServiceOptions.defaults();
    service =
        new HostedService<>(
            new Service<>(
                name,
                new Service.End<>(queues.in(), CALLS),
                new Service.End<>(queues.out(), ANSWERS),
                (_, answer) -> (due, _) -> answer.answer(due),
                options));
    writer = service.createWriter();
    answers =
        new TailLoop(
            name + "-answers",
            queues.out(),
            new Answers(ANSWERS.reader(queues.out().name(), this::completed)),
            options.idle().get(),
            new Outage(
                LoggerFactory.getLogger(ServicePath.class), "Reading answers", "it is retried"));
    try {
      start(service);
      answers.startAll();
    } catch (InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** On the thread of the loop. */
  private final class Answers implements TailLoop.Reader {

    private final CallReader<ProbeAnswers> reader;

    Answers(CallReader<ProbeAnswers> reader) {
      this.reader = reader;
    }

    /** All answers belong to this path. */
    @Override
    public void open(Tailer tailer, long resume) {
      if (resume >= 0) {
        tailer.seek(resume);
      }
    }

    @Override
    public int read(Tailer tailer) {
      return tailer.poll(AT_ONCE, reader.handler(tailer.partition()));
    }

    @Override
    public void failed(Error error) {
      ServicePath.this.failed(error);
    }

    @Override
    public void ended(@Nullable RuntimeException failure) {
      if (failure != null) {
        ServicePath.this.failed(failure);
      }
    }
  }

  @Override
  void append(long due) {
    writer.calls().message(due, content);
  }

  @Override
  MessageQueue in() {
    return service.in();
  }

  @Override
  List<MessageQueue> queues() {
    return List.of(service.in(), service.out());
  }

  @Override
  public void close() {
    try (service;
        writer) {
      answers.close();
    }
  }
}
