/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.jdbc.http.body.ByteBudget;
import io.forebay.jdbc.http.limit.Callers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.util.unit.DataSize;

class DoorPropertiesTest {

  private static Callers callers(DataSize maxBody, DataSize maxBodies) {
    return new DoorProperties(List.of(), maxBody, null, Map.of())
        .limitedCallers(maxBodies.toBytes());
  }

  @ParameterizedTest
  @CsvSource({"1MB, 16MB, 4MB", "1MB, 3MB, 1MB", "1MB, 1536KB, 768KB", "1MB, 1MB, 512KB"})
  void bodiesOfOneCallerTakeAQuarterOrOneBodyButAtMostHalf(
      DataSize maxBody, DataSize maxBodies, DataSize part) {
    Callers callers = callers(maxBody, maxBodies);
    ByteBudget web = callers.of("web").bodies();
    int half = (int) part.toBytes() / 2;
    assertThat(web.take(half)).isNotNull();
    assertThat(web.take(half + 1)).isNull();
    assertThat(web.take(half)).isNotNull();
    assertThat(callers.of("other").bodies().take(2 * half)).isNotNull();
  }

  @Test
  void limitsGrowWithTheHeap() {
    DoorLimits limits = DoorLimits.of(512L << 20);
    assertThat(limits.waiting()).isEqualTo(1_024);
    assertThat(limits.streams()).isEqualTo(64);
    assertThat(limits.bodyBytes()).isEqualTo(64 << 20);
    assertThat(limits.resultBytes()).isEqualTo(64 << 20);
    assertThat(DoorLimits.of(6L << 20).streams()).isEqualTo(1);
    assertThat(DoorLimits.of(64L << 30).waiting())
        .as("half of the connections of a server")
        .isEqualTo(4_096);
    assertThat(DoorLimits.of(64L << 30).streams()).isEqualTo(1_024);
  }

  @ParameterizedTest
  @CsvSource({"1MB, 16MB", "1MB, 1MB", "2MB, 1MB"})
  void aSingleBodyOfTheLargestSizeIsTaken(DataSize maxBody, DataSize maxBodies) {
    ByteBudget web = callers(maxBody, maxBodies).of("web").bodies();
    assertThat(web.take((int) maxBody.toBytes())).isNotNull();
  }
}
