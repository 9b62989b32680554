/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CpuSetTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"0|0", "2-3|2-3", "0-1,3|0-1,3", " 3, 1 ,2|1-3", "4-4,4|4"})
  void readsTheListsOfLinux(String list, String printed) {
    assertThat(CpuSet.parse(list)).hasToString(printed);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "1..2", "2-1", "-1", "1-", "1,,2", "0-8192", "1 2"})
  void refusesAnythingElse(String list) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CpuSet.of(list))
        .withMessageStartingWith("\"" + list + "\" is not a list of CPUs such as 0-1,3");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void namesTheCpusThatDoNotExistAndThoseOfTheHost() throws Exception {
    String host = Files.readString(Path.of("/sys/devices/system/cpu/online")).strip();
    assertThat(CpuSet.of(host)).hasToString(host);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CpuSet.of("0,8190-8191"))
        .withMessage(
            "\"0,8190-8191\" names CPUs that do not exist: 8190-8191; this host has CPUs " + host);
  }
}
