/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.Storage;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RingMetricsTest {

  private static final Pattern DOCUMENTED =
      Pattern.compile("\\| `(forebay\\.ring\\.[a-z.]+)` \\| ([a-z]+) \\| `queue` \\|");

  @TempDir Path data;

  private record Stored(Path data) implements QueueBackend {

    @Override
    public String name() {
      return "stored";
    }

    @Override
    public MessageQueue open(String name, int partitions, Duration kept) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Storage> storage() {
      Storage.Ring ring = new Storage.Ring(1_024, 16, 64, Duration.ofMillis(3));
      try {
        return Optional.of(
            new Storage(
                data,
                Files.getFileStore(data),
                0,
                Duration.ofHours(1),
                List.of(
                    new Storage.OfQueue("a.in", Duration.ZERO, 0, 0, 0, List.of(), ring),
                    new Storage.OfQueue("a.out", Duration.ZERO, 0, 0, List.of()))));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {}
  }

  @Test
  void areTheDocumentedOnesOfEachQueueWithARing() throws IOException {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    new RingMetrics(new Stored(data)).bindTo(registry);
    Set<String> real =
        registry.getMeters().stream()
            .map(Meter::getId)
            .map(it -> it.getName() + " " + it.getBaseUnit() + " " + it.getTag("queue"))
            .collect(Collectors.toSet());
    Set<String> documented =
        DOCUMENTED
            .matcher(Files.readString(Path.of("../../docs/metrics.md")))
            .results()
            .map(it -> it.group(1) + " " + it.group(2) + " a.in")
            .collect(Collectors.toSet());
    assertThat(real).hasSize(4).isEqualTo(documented);
    assertThat(registry.getMeters().stream().map(it -> ((Gauge) it).value()).sorted().toList())
        .containsExactly(0.003, 16.0, 64.0, 1_024.0);
  }
}
