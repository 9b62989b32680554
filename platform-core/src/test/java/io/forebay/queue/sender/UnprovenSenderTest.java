/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.service.progress.Checksum;
import java.nio.ByteBuffer;
import java.util.HexFormat;
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
