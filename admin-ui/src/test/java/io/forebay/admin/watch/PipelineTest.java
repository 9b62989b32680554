/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.hosting.DefinedService;
import io.forebay.hosting.HostedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.operations.Services;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.progress.HostedProgress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The chains of real services. */
class PipelineTest {

  public interface Work {
    void work(long number);
  }

  private final MemoryBackend backend = MemoryBackend.open();
  private final DefinedService<Work, Work> pricing = first("pricing");
  private final DefinedService<Work, Work> billing = behind("billing", pricing);
  private final DefinedService<Work, Work> accounting = behind("accounting", billing);
  private final DefinedService<Work, Work> alone = first("alone");
  private final DefinedService<Work, Work> orders = first("orders");
  private final DefinedService<Work, Work> mail = behind("mail", orders);
  private final Services services =
      new Services(List.of(accounting, alone, billing, mail, orders, pricing), null);

  private static ServiceDefinition<Work, Work> definition(String name) {
    return ServiceDefinition.of(name, Work.class, Work.class, answers -> answers);
  }

  private DefinedService<Work, Work> first(String name) {
    return DefinedService.open(backend, definition(name), HostedProgress.none());
  }

  private DefinedService<Work, Work> behind(String name, DefinedService<?, Work> before) {
    return DefinedService.open(
        backend, definition(name).from(before.definition()), before, HostedProgress.none());
  }

  @AfterEach
  void close() {
    List.of(accounting, billing, pricing, alone, mail, orders).forEach(HostedService::close);
    backend.close();
  }

  @Test
  void eachChainHasItsStagesInOrder() {
    List<Pipeline> pipelines = Pipeline.of(services.all());
    assertThat(pipelines)
        .extracting(Pipeline::answers)
        .containsExactly("mail.out", "accounting.out");
    assertThat(pipelines.getLast().stages())
        .containsExactly(
            new Pipeline.Stage("pricing", "pricing.in"),
            new Pipeline.Stage("billing", "pricing.out"),
            new Pipeline.Stage("accounting", "billing.out"));
  }
}
