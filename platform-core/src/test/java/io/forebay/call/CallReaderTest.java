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

import com.upokecenter.cbor.CBORObject;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
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
  void aTargetCannotCallItsReader() {
    List<CallReader<Texts>> readers = new ArrayList<>();
    CallReader<Texts> reader =
        TEXTS.reader(
            "in",
            t -> {
              received.add(t);
              readers.getFirst().read(0, 1, text("inner"));
            });
    readers.add(reader);
    assertThatThrownBy(() -> reader.read(0, 0, text("outer")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the target of a reader of queue in called that reader");
    assertThat(received).containsExactly("outer");
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

  @Test
  void aMessageWithTwoResultsIsRefused() {
    interface Numbers {
      CompletableFuture<Long> number();
    }
    CallReader<Numbers> reader =
        Protocol.of(Numbers.class)
            .reader(
                "in",
                () -> {
                  received.add("called");
                  return CompletableFuture.completedFuture(1L);
                });
    CBORObject one = envelope(null).Add("number").Add(array());
    reader.read(0, 0, ByteBuffer.wrap(one.EncodeToBytes()));
    byte[] two = one.Add("number").Add(array()).EncodeToBytes();
    assertThatThrownBy(() -> reader.read(0, 1, ByteBuffer.wrap(two)))
        .isInstanceOf(UndecodableMessage.class)
        .hasMessageContaining("two calls with a result");
    assertThat(received).hasSize(1);
  }

  @Test
  void aFailureIsPassedToATargetThatReceivesFailures() {
    List<CallFailure> failures = new ArrayList<>();
    class Target implements Texts, FailureReceiver {
      @Override
      public void text(String text) {}

      @Override
      public void callFailed(CallFailure failure) {
        failures.add(failure);
      }
    }
    CallReader<Texts> reader = TEXTS.reader("out", new Target());
    for (Object declined : new Object[] {true, false, 7}) {
      CBORObject headers = map("source", 0, "failure", array("e", "t"), "declined", declined);
      reader.read(0, 0, ByteBuffer.wrap(envelope(headers).EncodeToBytes()));
    }
    reader.read(0, 0, text("no failure"));
    assertThat(failures)
        .containsExactly(
            new CallFailure("e", "t", true), new CallFailure("e", "t"), new CallFailure("e", "t"));
  }

  /** Version 23, which only a reader of a shared queue sets. */
  @Test
  void aSenderThatIsNotProvenIsNamedBehindAPrefix() {
    Message message = unproven(map("client", "shop", "key", "k", "sourceClient", "web"));
    assertThat(message.client()).isEqualTo("kafka:shop");
    assertThat(message.key()).isEqualTo("k");
    assertThat(message.sourceClient()).isEqualTo("kafka:web");
    assertThat(unproven(map("client", "shop")).sourceClient()).isNull();
    assertThat(unproven(map("sourceClient", "web")).client()).isNull();
    assertThat(unproven(map("key", "k")).client()).isNull();
    assertThat(unproven(map("client", "c".repeat(249))).client()).hasSize(255);
    assertThatThrownBy(() -> unproven(map("client", "c".repeat(250))))
        .isInstanceOf(UndecodableMessage.class)
        .hasMessageContaining("more than 249 bytes");
  }

  private static Message unproven(CBORObject headers) {
    byte[] message = array(23, Foreign.bytes(Foreign.ID), 0, headers).EncodeToBytes();
    return Message.peek("in", 0, 0, ByteBuffer.wrap(message));
  }

  /** Throws a checked exception without declaring it. */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> RuntimeException unchecked(Throwable e) throws E {
    throw (E) e;
  }
}
