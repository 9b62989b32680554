/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PrinterTest {

  private static String printed(String format) {
    Map<String, Object> hop = new LinkedHashMap<>();
    hop.put("service", "pricing");
    hop.put("waitingMicros", 1_250L);
    hop.put("performingMicros", 80L);
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("queue", "pricing.out");
    message.put("history", List.of(hop));
    message.put("arguments", List.of("7"));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Printer printer = new Printer(format, out);
    printer.print(message);
    printer.flush();
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void eachHopOfAHistoryIsInOneLine() {
    assertThat(printed("yaml"))
        .isEqualTo(
            """
            - queue: pricing.out
              history:
              - {service: pricing, waitingMicros: 1250, performingMicros: 80}
              arguments:
              - '7'
            """);
    assertThat(printed("ndjson"))
        .isEqualToIgnoringNewLines(
            "{\"queue\":\"pricing.out\",\"history\":[{\"service\":\"pricing\",\"waitingMicros\":1250,\"performingMicros\":80}],\"arguments\":[\"7\"]}");
  }
}
