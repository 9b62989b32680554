/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class PortsTest {

  @Test
  @EnabledOnOs(OS.LINUX)
  void noOutgoingConnectionIsGivenThem() throws Exception {
    String range = Files.readAllLines(Path.of("/proc/sys/net/ipv4/ip_local_port_range")).getFirst();
    int first = Integer.parseInt(range.split("\\s+")[0]);
    assertThat(Stream.generate(Ports::free).limit(50))
        .doesNotHaveDuplicates()
        .allMatch(it -> it < first);
  }
}
