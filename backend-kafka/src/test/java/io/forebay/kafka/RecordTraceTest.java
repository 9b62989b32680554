/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborOutput;
import io.forebay.queue.Capabilities;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.trace.TraceParent;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordTraceTest {

  interface Items {
    void item(byte[] content);
  }

  private static final String HEADER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  private static final TraceParent TRACE = TraceParent.parse(HEADER);
  private static final TraceParent OTHER = new TraceParent(1, 2, 3);
  private static final Protocol<Items> ITEMS = Protocol.of(Items.class);

  private static byte[] message(Consumer<Writer<Items>> call) {
    byte[][] bytes = new byte[1][];
    try (MemoryBackend backend = MemoryBackend.open();
        MessageQueue queue = backend.open("in", 1);
        Writer<Items> writer = ITEMS.writer(queue);
        Tailer tailer = queue.tailer(0)) {
      call.accept(writer);
      tailer.poll(
          1,
          (_, message) -> {
            bytes[0] = new byte[message.remaining()];
            message.get(message.position(), bytes[0]);
          });
    }
    return bytes[0];
  }

  private static ByteBuffer added(byte[] message, @Nullable String header) {
    ConsumerRecord<ByteBuffer, ByteBuffer> record =
        new ConsumerRecord<>("in", 0, 0, null, ByteBuffer.wrap(message));
    record.headers().add("other", new byte[] {1});
    if (header != null) {
      record.headers().add(TraceParent.NAME, header.getBytes(UTF_8));
    }
    return RecordTrace.added(record);
  }

  private static Message envelope(ByteBuffer message) {
    return Message.peek("in", 0, 0, message);
  }

  private static void unchanged(byte[] message, @Nullable String header) {
    assertThat(added(message, header)).isEqualTo(ByteBuffer.wrap(message));
  }

  @Test
  void theTraceOfARecordBecomesThatOfItsMessage() {
    byte[] plain = message(writer -> writer.calls().item(new byte[10]));
    byte[] keyed = message(writer -> writer.keyed("shop", "7").calls().item(new byte[10]));
    for (byte[] message : new byte[][] {plain, keyed}) {
      ByteBuffer added = added(message, HEADER);
      assertThat(added.remaining()).isEqualTo(message.length + 39);
      assertThat(envelope(added).trace()).isEqualTo(TRACE);
      assertThat(envelope(added).id()).isEqualTo(envelope(ByteBuffer.wrap(message)).id());
      byte[][] read = new byte[1][];
      ITEMS.reader("in", content -> read[0] = content).read(0, 0, added);
      assertThat(read[0]).isEqualTo(new byte[10]);
    }
    assertThat(envelope(added(keyed, HEADER)).key()).isEqualTo("7");
  }

  @Test
  void aMessageWithATraceKeepsIt() {
    byte[] traced = message(writer -> writer.traced(OTHER).calls().item(new byte[10]));
    unchanged(traced, HEADER);
    assertThat(envelope(added(traced, HEADER)).trace()).isEqualTo(OTHER);
  }

  @Test
  void aRecordWithoutASampledTraceIsUnchanged() {
    byte[] message = message(writer -> writer.calls().item(new byte[10]));
    unchanged(message, null);
    unchanged(message, "");
    unchanged(message, HEADER.replaceAll("01$", "00"));
  }

  @Test
  void bytesThatAreNoMessageAreUnchanged() {
    byte[] message = message(writer -> writer.keyed("shop", "7").calls().item(new byte[10]));
    for (int length = 0; length <= 28; length++) { // up to the headers
      unchanged(Arrays.copyOf(message, length), HEADER);
    }
    unchanged("a text and no message at all".getBytes(UTF_8), HEADER);
    byte[] longHead = message.clone();
    longHead[1] = (byte) 0xbf; // a map without a length, in place of the version
    unchanged(longHead, HEADER);
  }

  private static ByteBuffer withVersion(int version, byte[] ids) {
    return ByteBuffer.wrap(
        CborOutput.encoded(out -> {
          out.head(Cbor.ARRAY, 4);
          out.integer(version);
          out.byteString(ids);
          out.time(7);
          out.put(Cbor.NULL);
        }));
  }

  @Test
  void onlyAMessageWithOneIdGetsATrace() {
    for (int version : new int[] {0, 23}) {
      byte[] message = withVersion(version, new byte[16]).array();
      assertThat(added(message, HEADER).remaining()).isEqualTo(message.length + 39);
    }
    for (int answers : new int[] {2, 15, 16, 1000}) {
      byte[] ids = new byte[16 * answers];
      for (int i = 0; i < ids.length; i += 16) {
        ids[i] = 1; // the milliseconds of an id of this year begin so
        ids[i + 1] = (byte) 0xa2;
      }
      unchanged(withVersion(2, ids).array(), HEADER);
      unchanged(withVersion(0, ids).array(), HEADER);
    }
    for (int version : new int[] {1, 2, 3, 22, 24, 256, 1 << 24}) {
      unchanged(withVersion(version, new byte[16]).array(), HEADER);
    }
    unchanged(withVersion(0, new byte[15]).array(), HEADER);
    unchanged(withVersion(0, new byte[32]).array(), HEADER);
  }

  @Test
  void aTraceWhoseNameHasALongerHeadIsNotAddedAgain() {
    for (int head : new int[] {0x78, 0x79, 0x7a, 0x7b}) {
      byte[] message =
          CborOutput.encoded(out -> {
            out.head(Cbor.ARRAY, 4);
            out.integer(0);
            out.byteString(1, 2);
            out.integer(7);
            out.head(Cbor.MAP, 1);
            out.put(head);
            for (int zeros = (1 << head - 0x78) - 1; zeros > 0; zeros--) {
              out.put(0);
            }
            out.put(TraceParent.NAME.length());
            byte[] name = TraceParent.NAME.getBytes(UTF_8);
            out.raw(name, 0, name.length);
            out.byteString(OTHER.bytes());
          });
      unchanged(message, HEADER);
      assertThat(envelope(added(message, HEADER)).trace()).isEqualTo(OTHER);
    }
  }

  @Test
  void aMessageWithoutRoomIsUnchanged() {
    byte[] large =
        message(writer -> writer.calls().item(new byte[Capabilities.MAX_MESSAGE_BYTES - 60]));
    assertThat(large.length).isGreaterThan(Capabilities.MAX_MESSAGE_BYTES - 39);
    unchanged(large, HEADER);
  }
}
