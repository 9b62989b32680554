/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static io.forebay.call.Foreign.array;
import static io.forebay.call.Foreign.envelope;
import static io.forebay.call.Foreign.map;
import static io.forebay.call.Foreign.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class CallReaderTest {

  interface Texts {
    void text(String text) throws IOException;
  }

  private static final Protocol<Texts> TEXTS = Protocol.of(Texts.class);

  private final List<String> received = new ArrayList<>();

  private static ByteBuffer text(String text) {
    return ByteBuffer.wrap(message("text", text));
  }

  @Test
  void theMessageIsCurrentDuringItsCallsAndNotAfter() {
    List<Message> current = new ArrayList<>();
    CallReader<Texts> reader = TEXTS.reader("in", t -> current.add(Message.current()));
    byte[] headers =
        envelope(map("client", "c", "key", "k", "replayOf", Foreign.bytes(new UUID(1, 2))))
            .Add("text")
            .Add(array("a"))
            .Add("text")
            .Add(array("b"))
            .EncodeToBytes();
    Message read = reader.read(3, 77, ByteBuffer.wrap(headers));
    assertThat(current).containsExactly(read, read);
    assertThat(Message.currentOrNull()).isNull();
    assertThat(read.partition()).isEqualTo(3);
    assertThat(read.position()).isEqualTo(77);
    assertThat(read.id()).isEqualTo(Foreign.ID);
    assertThat(read.appendTime()).isEqualTo(Instant.parse("2025-06-01T12:00:00.123456Z"));
    assertThat(read.client()).isEqualTo("c");
    assertThat(read.key()).isEqualTo("k");
    assertThat(read.replayOf()).isEqualTo(new UUID(1, 2));
    assertThat(read.source()).isEmpty();
    assertThat(read).hasToString("message " + Foreign.ID + " at position 77 in partition 3");
  }

  @Test
  void anExceptionOfTheTargetPropagatesAndTheNextMessageIsRead() {
    Throwable[] thrown = {
      new IOException("a"), new IllegalStateException("b"), new AssertionError("c")
    };
    int[] calls = {0};
    CallReader<Texts> reader =
        TEXTS.reader(
            "in",
            t -> {
              received.add(t);
              if (calls[0] < thrown.length) {
                throw unchecked(thrown[calls[0]++]);
              }
            });
    ByteBuffer two =
        ByteBuffer.wrap(
            envelope(null).Add("text").Add(array("x")).Add("text").Add(array("y")).EncodeToBytes());
    for (Throwable expected : thrown) {
      assertThatThrownBy(() -> reader.read(0, 0, two)).isSameAs(expected);
      assertThat(Message.currentOrNull()).isNull();
    }
    assertThat(received).containsExactly("x", "x", "x");
    reader.read(0, 0, two);
    assertThat(received).containsExactly("x", "x", "x", "x", "y");
  }

  @Test
  void aTextThatComesAgainIsTheSameObject() {
    List<String> texts = new ArrayList<>();
    CallReader<Texts> reader = TEXTS.reader("in", texts::add);
    String longest = "s".repeat(8_192);
    for (int i = 0; i < 3; i++) {
      reader.read(0, i, text("insert into orders values (?)"));
      reader.read(0, i, text("insert into lines values (?, ü)"));
      reader.read(0, i, text(longest));
    }
    for (int i = 3; i < texts.size(); i++) {
      assertThat(texts.get(i)).isSameAs(texts.get(i - 3));
    }
    assertThat(texts.subList(0, 3))
        .containsExactly(
            "insert into orders values (?)", "insert into lines values (?, ü)", longest);
  }

  @Test
  void textsThatFallOnTheSamePlaceAreNotMixedUp() {
    CallReader<Texts> reader = TEXTS.reader("in", received::add);
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      // Alike in length, beginning, middle and end.
      String text = "select %05d from orders where id = ?".formatted(i % 700);
      expected.add(text);
      reader.read(0, i, text(text));
    }
    assertThat(received).isEqualTo(expected);
  }

  @Test
  void everyKindOfBufferIsReadAndNotMoved() {
    CallReader<Texts> reader = TEXTS.reader("in", received::add);
    byte[] bytes = message("text", "x");
    byte[] wide = new byte[bytes.length + 20];
    System.arraycopy(bytes, 0, wide, 7, bytes.length);
    ByteBuffer inside = ByteBuffer.wrap(wide, 7, bytes.length);
    ByteBuffer direct = ByteBuffer.allocateDirect(wide.length).put(wide).position(7);
    direct.limit(7 + bytes.length);
    Consumer<ByteBuffer> check =
        buffer -> {
          int position = buffer.position();
          int limit = buffer.limit();
          reader.read(0, 0, buffer);
          assertThat(Message.peek("in", 0, 0, buffer).id()).isEqualTo(Foreign.ID);
          assertThat(buffer.position()).isEqualTo(position);
          assertThat(buffer.limit()).isEqualTo(limit);
        };
    check.accept(inside);
    check.accept(inside.slice());
    check.accept(inside.asReadOnlyBuffer());
    check.accept(direct);
    check.accept(direct.asReadOnlyBuffer());
    assertThat(received).containsExactly("x", "x", "x", "x", "x");
  }

  @Test
  void aTargetMayReadAnotherQueueButNotThroughItsOwnReader() {
    List<Long> positions = new ArrayList<>();
    CallReader<Texts> inner =
        TEXTS.reader("inner", t -> positions.add(Message.current().position()));
    CallReader<?>[] self = new CallReader<?>[1];
    CallReader<Texts> outer =
        TEXTS.reader(
            "outer",
            t -> {
              positions.add(Message.current().position());
              inner.read(0, 2, text("b"));
              positions.add(Message.current().position());
              self[0].read(0, 3, text("c"));
            });
    self[0] = outer;
    assertThatThrownBy(() -> outer.read(0, 1, text("a")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("queue outer");
    assertThat(positions).containsExactly(1L, 2L, 1L);
  }

  @Test
  void aMessageIsCurrentOnTheThreadThatMadeItCurrent() throws Exception {
    Message message = Message.of(0, 1, Foreign.ID, Instant.EPOCH);
    message.makeCurrent();
    List<Message> other = new ArrayList<>();
    Thread thread = Thread.ofVirtual().start(() -> other.add(Message.currentOrNull()));
    thread.join();
    assertThat(other).containsExactly((Message) null);
    assertThat(Message.current()).isSameAs(message);
    Message.clear();
    assertThat(Message.currentOrNull()).isNull();
  }

  @Test
  void theReaderHoldsNoArgumentAfterTheCall() {
    interface Payloads {
      void payload(byte[] payload);
    }
    List<WeakReference<byte[]>> payloads = new ArrayList<>();
    CallReader<Payloads> reader =
        Protocol.of(Payloads.class)
            .reader("in", payload -> payloads.add(new WeakReference<>(payload)));
    byte[] bytes =
        envelope(null)
            .Add("payload")
            .Add(array(new byte[10]))
            .Add("payload")
            .Add(array(new byte[10]))
            .EncodeToBytes();
    reader.read(0, 0, ByteBuffer.wrap(bytes));
    Awaitility.await()
        .untilAsserted(() -> {
          System.gc();
          assertThat(payloads).hasSize(2).allMatch(p -> p.refersTo(null));
        });
    Reference.reachabilityFence(reader);
  }

  /** Throws a checked exception without declaring it. */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> RuntimeException unchecked(Throwable e) throws E {
    throw (E) e;
  }
}
