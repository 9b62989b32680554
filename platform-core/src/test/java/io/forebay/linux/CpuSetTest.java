/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CpuSetTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"0|0", "2-3|2-3", "0-1,3|0-1,3", " 3, 1 ,2|1-3", "4-4,4|4"})
  void readsTheListsOfLinux(String list, String printed) {
    assertThat(CpuSet.of(list)).hasToString(printed);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "1..2", "2-1", "-1", "1-", "1,,2", "0-8192", "1 2"})
  void refusesAnythingElse(String list) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CpuSet.of(list))
        .withMessage("\"" + list + "\" is not a list of CPUs such as 0-1,3");
  }
}
