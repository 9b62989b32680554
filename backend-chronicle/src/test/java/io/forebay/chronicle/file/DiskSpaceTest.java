/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.assertReads;
import static io.forebay.chronicle.Rig.bytes;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.forebay.chronicle.ChronicleBackend;
import io.forebay.chronicle.Rig;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueRefused;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Below the watermark new messages are refused, and stored messages can still be read. */
final class DiskSpaceTest {

  @TempDir Path data;
  private Rig rig;

  @BeforeEach
  void rig() {
    rig = new Rig(data);
    rig.total = 1_000_000;
    rig.usable = 500_000;
    rig.options = rig.options.withMinFree(0, 0.1);
  }

  private static QueueRefused refused(MessageQueue queue) {
    return catchThrowableOfType(
        QueueRefused.class, () -> queue.appender().append(0, bytes("refused")));
  }

  @Test
  void refusesBelowTheWatermarkWithTheFillAndARetryTime() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, 10);
      rig.usable = 99_000;
      backend.tick(false);

      QueueRefused refused = refused(queue);
      assertThat(refused.reason()).isEqualTo(QueueRefused.Reason.DISK);
      assertThat(refused.fill()).isCloseTo(0.901, within(0.0001));
      assertThat(refused.retryAfter()).isPositive();
      assertThat(refused)
          .hasMessageContaining(QUEUE)
          .hasMessageMatching(".*\\(DISK since \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ\\); .*");
      assertThat(queue.stats(0).refusal().reason()).isEqualTo(QueueRefused.Reason.DISK);
      assertThat(queue.stats(0).refusal().fill()).isCloseTo(0.901, within(0.0001));
      assertReads(queue, 0, 10);
    }
  }

  @Test
  void acceptsMessagesAgainOnlyClearlyAboveTheWatermark() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      rig.usable = 99_000;
      backend.tick(false);
      rig.usable = 105_000;
      backend.tick(false);
      assertThat(refused(queue).fill()).isCloseTo(0.895, within(0.0001));
      rig.usable = 111_000;
      backend.tick(false);
      assertThat(queue.stats(0).refusal()).isNull();
      send(queue, 0, 10);
      rig.usable = 105_000;
      backend.tick(false);
      send(queue, 10, 20);
      assertReads(queue, 0, 20);
    }
  }

  @Test
  void theWatermarkIsTheLargerOfBytesAndFraction() {
    rig.options = rig.options.withMinFree(200_000, 0.1);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      rig.usable = 150_000;
      backend.tick(false);
      assertThat(refused(queue).reason()).isEqualTo(QueueRefused.Reason.DISK);
    }
  }

  @Test
  void aBackendThatIsOpenedOnAFullDiskRefusesFromTheBeginning() {
    rig.usable = 1_000;
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertThat(refused(queue).reason()).isEqualTo(QueueRefused.Reason.DISK);
    }
  }
}
