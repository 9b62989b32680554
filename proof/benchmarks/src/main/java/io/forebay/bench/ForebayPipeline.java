/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.call.Reader;
import io.forebay.call.Writer;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.service.Idle;
import io.forebay.service.ServiceOptions;
import io.forebay.service.progress.HostedProgress;
import java.nio.file.Path;
import java.util.List;
import net.openhft.chronicle.threads.Pauser;

/**
 * The chain of this product: three services, the later two {@code from} the one before. Each
 * message carries its history.
 */
final class ForebayPipeline extends PipelineChain {

  private static final int MOST_PER_POLL = 1_000;

  /** The message of the pipeline. */
  public record Data(String text, long number, long ts, long ts0) {}

  /** What each stage is called with, and what it answers. */
  public interface Stage {
    void simpleCall(Data data);
  }

  private record Tenfold(Stage next) implements Stage {
    @Override
    public void simpleCall(Data data) {
      next.simpleCall(new Data(data.text(), data.number() * 10, System.nanoTime(), data.ts0()));
    }
  }

  private final ChronicleBackend backend;
  private final List<DefinedService<Stage, Stage>> stages;
  private final Writer<Stage> writer;
  private final Reader<Stage> answers;

  ForebayPipeline(Path folder, ChronicleBackend.Writing writing) {
    backend =
        ChronicleBackend.open(folder, ChronicleBackend.Options.defaults().withWriting(writing));
    HostedProgress progress = HostedProgress.inFiles(folder.resolve("progress"));
    ServiceDefinition<Stage, Stage> first = stage("stage1");
    ServiceDefinition<Stage, Stage> second = stage("stage2").from(first);
    ServiceDefinition<Stage, Stage> third = stage("stage3").from(second);
    DefinedService<Stage, Stage> one = DefinedService.open(backend, first, progress);
    DefinedService<Stage, Stage> two = DefinedService.open(backend, second, one, progress);
    DefinedService<Stage, Stage> three = DefinedService.open(backend, third, two, progress);
    stages = List.of(one, two, three);
    one.start();
    writer = one.createWriter();
    answers = three.createReader(answer -> arrived(answer.number(), answer.ts0()));
    begin();
  }

  private static ServiceDefinition<Stage, Stage> stage(String name) {
    return ServiceDefinition.of(name, Stage.class, Stage.class, Tenfold::new)
        .withOptions(ServiceOptions.defaults().withIdle(ForebayPipeline::idle).withHistoryOneIn(1));
  }

  /** The wait of the other threads, for a service. */
  private static Idle idle() {
    Pauser pauser = Pauser.yielding();
    return (turns, _) -> {
      if (turns == 1) {
        pauser.reset();
      }
      pauser.pause();
    };
  }

  @Override
  void write(long number, long due) {
    writer.calls().simpleCall(new Data(TEXT, number, due, due));
  }

  @Override
  boolean poll() {
    return answers.poll(MOST_PER_POLL) > 0;
  }

  @Override
  long storedBytes() {
    long sum = stages.getFirst().in().appendedBytes(0).orElseThrow();
    for (DefinedService<Stage, Stage> stage : stages) {
      sum += stage.out().appendedBytes(0).orElseThrow();
    }
    return sum;
  }

  @Override
  void closeStages() {
    writer.close();
    answers.close();
    stages.reversed().forEach(DefinedService::close);
    backend.close();
  }
}
