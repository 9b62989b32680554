/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.sender;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.forebay.call.Message;
import io.forebay.call.UndecodableMessage;
import io.forebay.call.value.UndecodableReason;
import io.forebay.service.progress.Checksum;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnprovenSenderTest {

  @ParameterizedTest
  @CsvSource({
    "8600aabb,       8617aabb",
    "861800aabb,     861817aabb",
    "98060000,       98061700",
    "9900061a00000000ff, 9900061a00000017ff",
    "9b00000000000000061b000000000000000001, 9b00000000000000061b000000000000001701",
  })
  void theMarkReplacesTheVersionHoweverWideItIs(String written, String marked) {
    ByteBuffer message = buffer(written);
    assertThat(UnprovenSender.at(message)).isEqualTo(-1);
    UnprovenSender.mark(message);
    UnprovenSender.mark(message);
    assertThat(message).isEqualTo(buffer(marked));
    assertThat(message.get(UnprovenSender.at(message))).isEqualTo((byte) 23);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "86",
        "98",
        "9b000000",
        "8601aa",
        "86190100",
        "8619",
        "861f00",
        "a600",
        "9f00ff"
      })
  void bytesThatAreNoMessageOfVersion0StayAsTheyAre(String written) {
    ByteBuffer message = buffer(written);
    UnprovenSender.mark(message);
    assertThat(message).isEqualTo(buffer(written));
    assertThat(UnprovenSender.at(message)).isEqualTo(-1);
  }

  /** Readers accept heads of any width, so each of them can be marked. */
  @Test
  void noWayToWriteAMessageKeepsTheNameThatItClaims() {
    for (String array : List.of("84", "9804", "990004", "9a00000004", "9b0000000000000004")) {
      for (String version : List.of("00", "1800", "190000", "1a00000000", "1b0000000000000000")) {
        ByteBuffer message = claimed(array + version, "web");
        assertThat(read(message).client()).isEqualTo("web");
        UnprovenSender.mark(message);
        assertThat(read(message).client()).as("%s %s", array, version).isEqualTo("kafka:web");
      }
    }
  }

  @Test
  void aNameThatIsTooLongBehindThePrefixIsMalformed() {
    ByteBuffer longest = claimed("8400", "x".repeat(249));
    UnprovenSender.mark(longest);
    assertThat(read(longest).client()).hasSize(255);
    ByteBuffer longer = claimed("8400", "x".repeat(250));
    UnprovenSender.mark(longer);
    assertThatExceptionOfType(UndecodableMessage.class)
        .isThrownBy(() -> read(longer))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(UndecodableReason.MALFORMED));
  }

  private static Message read(ByteBuffer message) {
    return Message.peek("orders", 0, 0, message);
  }

  /** A message without a call, whose outer array and version begin so. */
  private static ByteBuffer claimed(String start, String client) {
    String id = "50" + "01".repeat(16);
    String name = "66" + hex("client") + "78%02x".formatted(client.length()) + hex(client);
    return buffer(start + id + "00" + "a2" + name + "63" + hex("key") + "61" + hex("k"));
  }

  private static String hex(String text) {
    return HexFormat.of().formatHex(text.getBytes(US_ASCII));
  }

  @Test
  void theChecksumOfAMessageDoesNotDependOnTheMark() {
    ByteBuffer message = buffer("8600aabbccdd");
    Checksum checksum = new Checksum();
    long written = checksum.of(message);
    UnprovenSender.mark(message);
    assertThat(checksum.of(message)).isEqualTo(written);
    assertThat(message.remaining()).isEqualTo(6);
    assertThat(checksum.of(buffer("8600aabbccde"))).isNotEqualTo(written);
  }

  /** The message of a reader does not begin where its buffer begins. */
  private static ByteBuffer buffer(String hex) {
    byte[] bytes = HexFormat.of().parseHex("00" + hex + "00");
    return ByteBuffer.wrap(bytes, 1, bytes.length - 2);
  }
}
