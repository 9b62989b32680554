/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionsTest {

  private static Options options(String line) {
    return new Options(
        List.of(line.split(" ")), "--out DIR --short --fail PERCENT --rows N --size GB");
  }

  @Test
  void readsFlagsAndValues() {
    Options options = options("--short --fail 0.1 --rows 7 --size 0.02 --out somewhere");

    assertThat(options.has("short")).isTrue();
    assertThat(options.percent("fail")).hasValue(0.1);
    assertThat(options.count("rows")).hasValue(7L);
    assertThat(options.amount("size")).hasValue(0.02);
    assertThat(options.required("out")).isEqualTo("somewhere");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --frob              | unknown option '--frob'
          short               | unknown option 'short'
          --short yes         | unknown option 'yes'
          --short --short     | option --short is given twice
          --out               | option --out needs a value
          """)
  void refusesWhatItDoesNotKnow(String line, String complaint) {
    assertThatThrownBy(() -> options(line)).isInstanceOf(UsageError.class).hasMessage(complaint);
  }

  @ParameterizedTest
  @CsvSource({
    "fail,0",
    "fail,101",
    "fail,many",
    "rows,0",
    "rows,1.5",
    "rows,-3",
    "size,0",
    "size,big",
    "size,NaN"
  })
  void refusesNumbersOutOfRange(String name, String value) {
    Options options = options("--" + name + " " + value);

    assertThatThrownBy(() ->
            assertThat(
                switch (name) {
                  case "fail" -> options.percent(name);
                  case "rows" -> options.count(name);
                  default -> options.amount(name);
                }))
        .isInstanceOf(UsageError.class)
        .hasMessageContaining("option --" + name + " needs a");
  }

  @Test
  void refusesAMissingRequiredOption() {
    assertThatThrownBy(() -> options("--short").required("out"))
        .isInstanceOf(UsageError.class)
        .hasMessage("option --out is missing");
  }
}
