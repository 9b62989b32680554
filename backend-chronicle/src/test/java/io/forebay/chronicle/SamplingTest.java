/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.capacity.ServiceSample;
import io.forebay.hosting.HostedService;
import io.forebay.operations.ServiceOperations;
import io.forebay.queue.QueueBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState.Phase;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operators' samples of services on files. */
final class SamplingTest {

  /** The calls and answers of the test's services. */
  public interface Greeting {
    void greet(String name);
  }

  private static final Protocol<Greeting> PROTOCOL = Protocol.of(Greeting.class);
  private static final int PARTITIONS = 2;

  @TempDir Path data;

  private static Service<Greeting, Greeting> service(QueueBackend backend, String name) {
    return new Service<>(
        name,
        new Service.End<>(backend.open(name + ".in", PARTITIONS), PROTOCOL),
        new Service.End<>(backend.open(name + ".out", PARTITIONS), PROTOCOL),
        (_, answers) -> answers,
        ServiceOptions.defaults());
  }

  private static void greet(Service<Greeting, Greeting> service, int times) {
    try (Writer<Greeting> writer = PROTOCOL.writer(service.in().queue())) {
      for (int i = 0; i < times; i++) {
        writer.calls().greet("Ada");
      }
    }
  }

  private static ServiceSample sample(Service<Greeting, Greeting> service) {
    ServiceOperations operations = new HostedService<>(service);
    return operations.sample(Instant.now(), operations.view());
  }

  @Test
  void knowsTheLagAndItsAgeBeforeAServiceIsRestarted() {
    Rig rig = new Rig(data);
    Instant oldest;
    try (ChronicleBackend backend = rig.open();
        Service<Greeting, Greeting> service = service(backend, "greeting")) {
      service.pause("for the test");
      service.start();
      greet(service, 100);
      await().until(() -> service.state().phase() == Phase.PAUSED);
      oldest = sample(service).oldest().orElseThrow();
      service.stop();
    }
    try (ChronicleBackend backend = rig.open();
        Service<Greeting, Greeting> service = service(backend, "greeting")) {
      ServiceSample sample = sample(service);
      assertThat(sample.accepted()).hasValue(100);
      assertThat(sample.performed()).hasValue(0);
      assertThat(sample.oldest()).hasValue(oldest);
      assertThat(sample.writtenBytes()).as("since it was opened").hasValue(0);
      assertThat(sample.busy()).isEmpty();
    }
  }

  @Test
  void countsTheBytesThatTheFilesGrowBy() {
    Rig rig = new Rig(data);
    try (ChronicleBackend backend = rig.open();
        Service<Greeting, Greeting> service = service(backend, "greeting")) {
      greet(service, 50_000);
      long stored = 0;
      for (int partition = 0; partition < PARTITIONS; partition++) {
        stored += service.in().queue().stats(partition).bytes().orElseThrow();
      }
      assertThat((double) sample(service).writtenBytes().orElseThrow() / stored)
          .as("except for the index that Chronicle writes into its files")
          .isBetween(0.8, 1.0);
    }
  }
}
