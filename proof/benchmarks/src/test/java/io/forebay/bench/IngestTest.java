/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.bench.OrderTable.Count;
import java.nio.file.Path;
import java.util.Map;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IngestTest {

  @ParameterizedTest
  @CsvSource({"100,0,100,100", "100,2,100,100", "100,2,102,102"})
  void eachAcknowledgedOrderIsARowAndALostOneMayBe(long acked, long lost, long rows, long ids) {
    assertThatCode(() -> IngestBenchmark.check("/x", acked, lost, new Count(rows, ids)))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({"100,0,99,99", "100,0,101,101", "100,2,103,103", "100,0,100,99", "100,2,99,99"})
  void anyOtherNumberOfRowsEndsTheBenchmark(long acked, long lost, long rows, long ids) {
    assertThatThrownBy(() -> IngestBenchmark.check("/x", acked, lost, new Count(rows, ids)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "/x acknowledged 100 orders (lost=%d); the table has %d rows of %d orders",
            lost, rows, ids);
  }

  @Test
  void onlyTheEndpointsAreAddedToTheProduct(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("endpoints.jar");
    EndpointsJar.write(file);

    try (JarFile jar = new JarFile(file.toFile())) {
      assertThat(jar.stream().map(it -> it.getName()))
          .contains(
              "META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports",
              "io/forebay/bench/endpoints/BenchAutoConfiguration.class")
          .allMatch(
              it -> it.startsWith("io/forebay/bench/endpoints/") || it.startsWith("META-INF"));
    }
  }

  @ParameterizedTest
  @CsvSource({"5000,1000,7000,80,PASS", "4999,1000,7200,81,MISS"})
  void ratiosAreComparedWithTheirTargets(
      double queued, double direct, double empty, double micros, String verdict) {
    Map<String, Rounds> rounds =
        Map.of(
            "forebay-queued", rounds(queued, micros, 0.08 * micros),
            "direct-insert", rounds(direct, 0, 80),
            "empty-handler", rounds(empty, 40, 0));

    assertThat(IngestBenchmark.targets(false).stream().map(it -> Target.of(it).verdict(rounds)))
        .hasSize(4)
        .containsOnly(verdict);
  }

  @ParameterizedTest
  @CsvSource({"6000,1000,10,30,PASS", "5999,1000,10.1,30,MISS"})
  void withADistantDatabaseRatesAndTailsAreCompared(
      double queued, double direct, double queuedMillis, double directMillis, String verdict) {
    Map<String, Rounds> rounds =
        Map.of("forebay-queued", rounds(queued, 0, 0), "direct-insert", rounds(direct, 0, 0));
    rounds.get("forebay-queued").add(IngestBenchmark.P99, queuedMillis);
    rounds.get("direct-insert").add(IngestBenchmark.P99, directMillis);

    assertThat(IngestBenchmark.targets(true).stream().map(it -> Target.of(it).verdict(rounds)))
        .hasSize(2)
        .containsOnly(verdict);
  }

  private static Rounds rounds(double perSecond, double micros, double databaseMicros) {
    Rounds rounds = new Rounds();
    rounds.add(IngestBenchmark.PER_SECOND, perSecond);
    rounds.add(IngestBenchmark.ALL_MICROS, micros);
    rounds.add(IngestBenchmark.DATABASE_MICROS, databaseMicros);
    return rounds;
  }
}
