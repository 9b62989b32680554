/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static org.awaitility.Awaitility.await;

import io.forebay.call.Writer;
import io.forebay.hosting.SquarePipeline;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.queue.sender.SenderKeys;
import io.forebay.service.progress.HostedProgress;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A pipeline on topics, performed by two instances, of which one goes. */
class KafkaPipelineTest {

  private static final int NUMBERS = 2_000;

  private final String prefix = UUID.randomUUID() + ".";

  private KafkaBackend open() {
    return KafkaBackend.open(
        KafkaBackend.Options.of(TestBroker.shared())
            .withPrefix(prefix)
            .withKeys(SenderKeys.NONE)); // as without a system database
  }

  @Test
  void eachStagePerformsEachAnswerOnceWhileInstancesComeAndGo() throws Exception {
    try (KafkaBackend ours = open();
        SquarePipeline stays = new SquarePipeline(ours, HostedProgress.none())) {
      stays.start();
      try (KafkaBackend theirs = open();
          SquarePipeline goes = new SquarePipeline(theirs, HostedProgress.none());
          Writer<SquarePipeline.Numbers> writer = stays.createWriter()) {
        goes.start();
        await().until(() -> goes.last().states().size() == 1);
        SquarePipeline.send(writer, 1, NUMBERS);
      }
      Set<Long> sent = LongStream.rangeClosed(1, NUMBERS).boxed().collect(Collectors.toSet());
      stays.assertAnsweredOnce(sent);
    }
  }
}
