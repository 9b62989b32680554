/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.call.value.Json;
import io.forebay.call.value.ValueText;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The content of messages as text. */
class FailureValuesTest {

  record Customer(long id, String name) {}

  interface Shop {
    void order(Customer customer, Object... items);
  }

  private static FailureValues values(byte[] message) {
    return FailureValues.of("shop~0~7~q", "an error", message);
  }

  private static byte[] message(Consumer<Shop> calls) {
    try (MemoryBackend backend = MemoryBackend.open();
        MessageQueue queue = backend.open("shop", 1);
        Writer<Shop> writer = Protocol.of(Shop.class).writer(queue);
        Tailer tailer = queue.tailer(0)) {
      calls.accept(writer.calls());
      byte[][] message = new byte[1][];
      tailer.poll(
          1,
          (_, bytes) -> {
            message[0] = new byte[bytes.remaining()];
            bytes.get(bytes.position(), message[0]);
          });
      return message[0];
    }
  }

  @Test
  void eachTypeOfValueIsReadable() {
    UUID id = UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057");
    byte[] message =
        message(shop ->
            shop.order(
                new Customer(-5, "Ada \"A\"\n"),
                null,
                true,
                new BigDecimal("-9.90"),
                0.1,
                1.5f,
                new byte[] {1, -1},
                LocalDate.of(2026, 11, 20),
                id,
                new Json("{\"a\":1}"),
                List.of(Long.MAX_VALUE, "x")));
    FailureValues.Call call = values(message).calls().getFirst();
    assertThat(call.method()).isEqualTo("order");
    assertThat(call.arguments())
        .containsExactly(
            "{\"id\": -5, \"name\": \"Ada \\\"A\\\"\\n\"}",
            "[null, true, -9.90, 0.1, 1.5, h'01ff', \"2026-11-20\", \""
                + id
                + "\", {\"a\":1},"
                + " [9223372036854775807, \"x\"]]");
    assertThat(values(message).cut()).isNull();
    assertThat(values(message).error()).isEqualTo("an error");
  }

  @Test
  void longTextsAndManyValuesAreCut() {
    String text = "x".repeat(ValueText.MAX_LENGTH + 1);
    Object[] many = IntStream.range(0, 1_000).boxed().toArray();
    many[0] = text;
    many[1] = new byte[ValueText.MAX_LENGTH];
    FailureValues shown = values(message(shop -> shop.order(new Customer(1, "Ada"), many)));
    String items = shown.calls().getFirst().arguments().getLast();
    assertThat(items)
        .startsWith("[\"" + "x".repeat(ValueText.MAX_LENGTH) + "…\", h'0000")
        .endsWith("192, …]");
    assertThat(shown.cut())
        .isEqualTo("2 shortened to 1,000 characters, 807 not shown (limit=200 values)");
  }

  @Test
  void ofManyCallsTheFirstAreShown() {
    String call = "61618101"; // "a", [1]
    byte[] message =
        HexFormat.of().parseHex("9907d4" + "00f600f6" + call.repeat(1_000)); // 2,004 items
    FailureValues shown = values(message);
    assertThat(shown.calls()).hasSize(100);
    assertThat(shown.calls().getLast().arguments()).containsExactly("1");
    assertThat(shown.cut()).isEqualTo("1,800 not shown (limit=200 values)");
  }

  private static String time(String tag, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    HexFormat hex = HexFormat.of();
    return tag + "78" + hex.toHexDigits((byte) bytes.length) + hex.formatHex(bytes);
  }

  @Test
  void mapsAndClassesThatAreNotRegisteredAreReadable() {
    byte[] message =
        HexFormat.of()
            .parseHex(
                "86"
                    + "00f600f6"
                    + "6161"
                    + "8a"
                    + "a10102a0"
                    + "a301020103f604"
                    + "a2810102810103"
                    + "d81b8268637573746f6d6572a262696407646e616d6563416461"
                    + "d82768637573746f6d6572"
                    + time("d9fb01", "12:00:00")
                    + time("d9fb02", "2026-11-20T12:00:00")
                    + time("c0", "2026-11-20T12:00:00.500+02:00")
                    + time("d903ec", "2026-11-20"));
    assertThat(values(message).calls().getFirst().arguments())
        .containsExactly(
            "{1: 2}",
            "{}",
            "{1: 2, 1: 3, null: 4}",
            "{[1]: 2, [1]: 3}",
            "customer {\"id\": 7, \"name\": \"Ada\"}",
            "\"customer\"",
            "\"12:00:00\"",
            "\"2026-11-20T12:00:00\"",
            "\"2026-11-20T12:00:00.500+02:00\"",
            "\"2026-11-20\"");
  }

  @Test
  void ofAValueThatTheFormatDoesNotHaveTheBytesAreShown() {
    for (String foreign : List.of("c101", "f7", "1bffffffffffffffff")) {
      String message = "86" + "00f600f6" + "6161" + "81" + foreign;
      FailureValues shown = values(HexFormat.of().parseHex(message));
      assertThat(shown.calls()).isEmpty();
      assertThat(shown.bytes()).isEqualTo(message);
    }
  }

  @Test
  void theElementsOfTheLastListOfEachCallAreReadOneByOne() {
    byte[] message = message(shop -> shop.order(new Customer(1, "Ada"), "x", null, 5));
    assertThat(FailureValues.lastLists(message)).containsExactly(List.of("\"x\"", "null", "5"));
    HexFormat hex = HexFormat.of();
    assertThat(FailureValues.lastLists(hex.parseHex("88" + "00f600f6" + "61618101" + "616180")))
        .as("no list, and no argument")
        .containsExactly(List.of(), List.of());
    assertThat(FailureValues.lastLists(hex.parseHex("86" + "00f600f6" + "6161"))).isEmpty();
    Object[] many = IntStream.range(0, ValueText.MAX_VALUES + 1).boxed().toArray();
    assertThat(FailureValues.lastLists(message(shop -> shop.order(null, many))))
        .containsExactly(List.of());
  }

  @Test
  void ofAMessageThatCannotBeReadTheFirstBytesAreShown() {
    byte[] cutOff = message(shop -> shop.order(new Customer(1, "Ada")));
    FailureValues shown = values(Arrays.copyOf(cutOff, cutOff.length - 1));
    assertThat(shown.calls()).isEmpty();
    assertThat(shown.bytes()).isEqualTo(HexFormat.of().formatHex(cutOff, 0, cutOff.length - 1));
    assertThat(shown.cut()).isNull();
    FailureValues large = values(new byte[600]);
    assertThat(large.bytes()).hasSize(1_001);
    assertThat(large.cut()).isEqualTo("the first 500 of 600 bytes");
    String deep = IntStream.range(0, 100).mapToObj(_ -> "81").collect(Collectors.joining());
    assertThat(values(HexFormat.of().parseHex("86" + "00f600f6" + "6161" + "81" + deep + "01")))
        .extracting(FailureValues::calls)
        .isEqualTo(List.of());
  }
}
