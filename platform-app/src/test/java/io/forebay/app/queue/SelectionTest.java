/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.hosting.messages.PartitionReader;
import io.forebay.hosting.messages.StatementNames;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.memory.MemoryBackend;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Selects the message at position 5, of which docs/message-format.md has the bytes. */
class SelectionTest {

  private static final String ID = "01890a5d-ac96-774b-bcce-b302099a8057";
  private static final String NAMED =
      "86005001890a5dac96774bbcceb302099a80571b0006368163039240f66d65786563757465557064617465"
          + "826e6f72646572732e706c6163654031820763416461";
  private static final String KEYED =
      "860050a0b8efb43b0080328cb9cda722472a471b0006368163039240a266636c"
          + "69656e746473686f70636b6579676f7264657220376d65786563757465557064"
          + "617465827264656c6574652066726f6d206f726465727380";

  private final MemoryBackend backend = MemoryBackend.open();
  private final MessageQueue queue = backend.open("orders.in", 3);

  @BeforeEach
  void write() {
    List<String> messages = List.of(NAMED, KEYED, "00");
    try (Appender appender = queue.appender()) {
      for (int i = 0; i < 6; i++) {
        for (int partition = 0; partition < messages.size(); partition++) {
          byte[] bytes = HexFormat.of().parseHex(messages.get(partition));
          appender.append(partition, ByteBuffer.wrap(bytes));
        }
      }
    }
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private boolean takes(String message, String option, String value) {
    Selection selection =
        new Selection(
            option.equals("from") ? Bound.of(value) : null,
            option.equals("to") ? Bound.of(value) : null,
            option.equals("id") ? UUID.fromString(value) : null,
            option.equals("key") ? value : null,
            option.equals("statement") ? value : null);
    int partition = List.of(NAMED, KEYED, "00").indexOf(message);
    List<Boolean> taken = new ArrayList<>();
    try (PartitionReader reader =
        new PartitionReader(
            backend.stored().queues().getFirst(), partition, false, StatementNames.none())) {
      reader.read(5, 6, stored -> taken.add(selection.takes(stored)));
    }
    return taken.getFirst();
  }

  @Test
  void selectsByFields() {
    assertThat(takes(NAMED, "statement", "orders.place")).isTrue();
    assertThat(takes(NAMED, "statement", "stock")).isFalse();
    assertThat(takes(KEYED, "key", "order 7")).isTrue();
    assertThat(takes(NAMED, "key", "order 7")).isFalse();
    assertThat(takes(NAMED, "id", ID)).isTrue();
    assertThat(takes(KEYED, "id", ID)).isFalse();
    assertThat(takes("00", "id", ID)).isFalse();
  }

  @Test
  void selectsByPositionAndTimeIncludingBothEnds() {
    assertThat(takes(NAMED, "from", "5") && takes(NAMED, "to", "5")).isTrue();
    assertThat(takes(NAMED, "from", "6")).isFalse();
    assertThat(takes(NAMED, "to", "4")).isFalse();
    assertThat(takes("00", "from", "6")).isFalse();
    assertThat(takes(NAMED, "from", "2025-06-01T12:00:00.123456Z")).isTrue();
    assertThat(takes(NAMED, "to", "2025-06-01T14:00:00.123456+02:00")).isTrue();
    assertThat(takes(NAMED, "from", "2025-06-01T12:00:01")).isFalse();
    assertThat(takes(NAMED, "from", "2025-06-02")).isFalse();
  }
}
