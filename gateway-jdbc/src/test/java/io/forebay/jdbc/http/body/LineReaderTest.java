/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.body;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.web.TimedInput;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineReaderTest {

  private static final int LONGEST = 100_000;

  private final ByteBudget budget = new ByteBudget(10 * LONGEST);

  /** Gives at most so many bytes at a time, as if the others had not arrived. */
  private static InputStream inPackets(int size, String text) {
    return new ByteArrayInputStream(text.getBytes(US_ASCII)) {
      @Override
      public int read(byte[] bytes, int from, int length) {
        return super.read(bytes, from, Math.min(size, length));
      }

      @Override
      public int available() {
        return 0;
      }
    };
  }

  /** The lengths of the lines; "long" for one that is too long. */
  private List<String> lines(InputStream in) throws IOException {
    List<String> lines = new ArrayList<>();
    try (LineReader reader = new LineReader(in, LONGEST, budget)) {
      while (reader.next()) {
        assertThat(reader.isTooLong() && reader.isBlank()).isFalse();
        String text =
            new String(reader.bytes(), reader.start(), Math.max(0, reader.length()), US_ASCII);
        assertThat(text).doesNotContain("\n", "\r");
        lines.add(reader.isTooLong() ? "long" : String.valueOf(reader.length()));
      }
    }
    return lines;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 1_000, 65_536, 99_999, 100_000, 100_001, 100_002, 1_000_000})
  void linesAreTheSameHoweverTheyArrive(int packet) throws IOException {
    String text =
        "a\n"
            + "\n"
            + "b".repeat(LONGEST)
            + "\r\n"
            + "c".repeat(LONGEST + 1)
            + "\n"
            + "d".repeat(LONGEST + 1)
            + "\r\n"
            + "ee\r\n"
            + "f".repeat(3 * LONGEST)
            + "\n"
            + "g".repeat(70_000)
            + "\nh";
    assertThat(lines(inPackets(packet, text)))
        .containsExactly("1", "0", "100000", "long", "long", "2", "long", "70000", "1");
    assertThat(budget.take(10 * LONGEST)).as("all memory is given back").isNotNull();
  }

  @Test
  void aLongLineIsNotBlankThoughOnlyItsEndIsThere() throws IOException {
    assertThat(lines(inPackets(2 * LONGEST, "x".repeat(2 * LONGEST) + "\n"))).containsOnly("long");
    String whole = "x".repeat(LineReader.BUFFER) + "x".repeat(LineReader.BUFFER);
    assertThat(lines(inPackets(LineReader.BUFFER, whole))).containsExactly("long");
  }

  @Test
  void theBufferShrinksAfterALongLine() throws IOException {
    ByteBudget tight = new ByteBudget(LONGEST + LineReader.BUFFER + 100);
    String text = "x".repeat(LONGEST) + "\ny\n";
    try (LineReader reader = new LineReader(inPackets(LONGEST + 1, text), LONGEST, tight)) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.bytes().length).isGreaterThan(LONGEST);
      assertThat(reader.next()).isTrue();
      assertThat(reader.bytes()).hasSize(LineReader.BUFFER);
      assertThat(tight.take(LONGEST)).as("the rest is free again").isNotNull();
    }
  }

  @Test
  void aBudgetForOneLineIsEnoughForTheLongest() throws IOException {
    ByteBudget tight = new ByteBudget(LONGEST);
    String text = "x".repeat(LONGEST) + "\ny\n";
    try (LineReader reader = new LineReader(inPackets(1_000, text), LONGEST, tight)) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.length()).isEqualTo(LONGEST);
    }
    assertThat(tight.take(LONGEST)).as("all memory is given back").isNotNull();
  }

  @Test
  void aLineMustEndInTimeHoweverManyBytesArrive() throws IOException {
    AtomicLong now = new AtomicLong();
    InputStream trickling =
        new FilterInputStream(inPackets(1, "short\n\n" + "x".repeat(1_000))) {
          @Override
          public int read(byte[] bytes, int from, int length) throws IOException {
            now.addAndGet(TimedInput.LONGEST.toNanos() / 10);
            return super.read(bytes, from, length);
          }
        };
    try (LineReader reader = new LineReader(trickling, LONGEST, budget, now::get)) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.length()).isEqualTo(5);
      assertThat(reader.next()).isTrue();
      assertThatThrownBy(reader::next).isInstanceOf(SocketTimeoutException.class);
    }
  }
}
