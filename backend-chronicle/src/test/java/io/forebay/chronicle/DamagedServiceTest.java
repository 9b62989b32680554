/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueRefused;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A service whose in-queue is damaged performs the messages before the damage, and then fails. */
final class DamagedServiceTest {

  private static final Protocol<Numbers> NUMBERS = Protocol.of(Numbers.class);
  private static final Protocol<Squares> SQUARES = Protocol.of(Squares.class);

  interface Numbers {
    void square(long number);
  }

  interface Squares {
    void squared(long number);
  }

  @TempDir Path data;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void performsTheMessagesBeforeTheDamageAndThenFails(boolean killed) throws Exception {
    Rig rig = new Rig(data);
    try (ChronicleBackend backend = rig.open();
        MessageQueue in = backend.open(QUEUE, 1)) {
      Writer<Numbers> writer = NUMBERS.writer(in, "key");
      LongStream.range(0, 100).forEach(writer.calls()::square);
    }
    rig.damage(60);
    if (killed) {
      rig.forgetMark();
    }
    List<Long> performed = new CopyOnWriteArrayList<>();
    try (ChronicleBackend backend = rig.open();
        MessageQueue in = backend.open(QUEUE, 1);
        MessageQueue out = backend.open("orders.out", 1);
        Service<Numbers, Squares> service =
            new Service<>(
                "numbers",
                new Service.End<>(in, NUMBERS),
                new Service.End<>(out, SQUARES),
                (_, _) -> performed::add,
                ServiceOptions.defaults())) {
      service.start();
      await().until(() -> service.state().phase() == ServiceState.Phase.FAILED);
      assertThat(performed).isEqualTo(Rig.range(0, 60));
      assertThat(service.state().reason()).contains("message 60", "wrong checksum");
      assertThat(in.stats(0).refusal().reason()).isEqualTo(QueueRefused.Reason.FAILED);
    }
  }
}
