/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.trace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceParentTest {

  /** The example of the specification. */
  private static final String HEADER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  @Test
  void isReadFromAHeaderAndWrittenAsOne() {
    TraceParent read = TraceParent.parse(HEADER);
    assertThat(read).hasToString(HEADER);
    assertThat(read.traceId()).isEqualTo("4bf92f3577b34da6a3ce929d0e0e4736");
    assertThat(TraceParent.read(read.bytes(), 0)).isEqualTo(read);
    assertThat(TraceParent.note(read)).isEqualTo(", trace 4bf92f3577b34da6a3ce929d0e0e4736");
    assertThat(TraceParent.note(null)).isEmpty();
  }

  @Test
  void isReadFromALaterVersionOfTheHeader() {
    assertThat(TraceParent.parse("cc" + HEADER.substring(2) + "-more")).hasToString(HEADER);
    assertThat(TraceParent.parse(HEADER.replaceAll("01$", "03"))).hasToString(HEADER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x",
      })
  void isNullWithoutASampledSpan(String header) {
    assertThat(TraceParent.parse(header)).isNull();
  }

  @Test
  void isNullWithoutAHeader() {
    assertThat(TraceParent.parse(null)).isNull();
  }

  @Test
  void hasAnIdOf64BitsOfOlderTracers() {
    assertThat(TraceParent.of("a3ce929d0e0e4736", "00f067aa0ba902b7"))
        .hasToString("00-0000000000000000a3ce929d0e0e4736-00f067aa0ba902b7-01");
    assertThat(TraceParent.of("", "00f067aa0ba902b7")).isNull();
    assertThat(TraceParent.of("not hexadecimal!", "00f067aa0ba902b7")).isNull();
  }
}
