/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.BacklogContender.Way;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

/**
 * One contender of the backlog benchmark in its own process: a warm-up, then all messages are
 * written, then all are drained and checked. It reports each slice of the messages.
 */
final class BacklogTrial {

  static final String COMMAND = "backlog-trial";

  /** The kinds of reports: a slice was written, a slice was drained, all were checked. */
  static final String WRITTEN = "written";

  static final String DRAINED = "drained";
  static final String CHECKED = "checked";

  static final String PER_SECOND = "perSecond";
  static final String SECONDS = "seconds";
  static final String BYTES = "bytesPerMessage";

  private static final long IDLE_NANOS = 100_000;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

  /** How long to look for drained messages that should not exist. */
  private static final long LATE_NANOS = 50_000_000;

  private final Way way;
  private final int slices;
  private final BiConsumer<String, Map<String, Double>> report;

  BacklogTrial(Way way, int slices, BiConsumer<String, Map<String, Double>> report) {
    this.way = way;
    this.slices = slices;
    this.report = report;
  }

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(
            arguments,
            Set.of(),
            Set.of("contender", "folder", "postgres", "messages", "warmup", "slices"));
    Testbed.endWithParent();
    try (Way way =
        BacklogContender.named(options.required("contender"))
            .open(Path.of(options.required("folder")), options.text("postgres").orElse(null))) {
      new BacklogTrial(
              way,
              options.count("slices").orElseThrow().intValue(),
              (kind, figures) -> System.out.println(FigureLine.of(kind, figures)))
          .run(options.count("warmup").orElseThrow(), options.count("messages").orElseThrow());
    }
  }

  void run(long warmup, long messages) throws Exception {
    Burst first = Burst.plain(0, warmup);
    way.hold();
    way.write(first);
    way.release(warmup);
    drain(warmup, 0);
    way.check(first);

    Burst all = Burst.plain(warmup, warmup + messages);
    way.hold();
    long bytesBefore = QueueBytes.used(way.queues());
    write(all);
    way.release(messages);
    drain(all);
    way.check(all);
    double bytes = QueueBytes.used(way.queues()) - bytesBefore;
    report.accept(CHECKED, Map.of(BYTES, bytes / messages));
  }

  private void write(Burst all) throws Exception {
    for (int i = 0; i < slices; i++) {
      Burst slice = all.part(i, slices);
      long start = System.nanoTime();
      way.write(slice);
      report(WRITTEN, slice.count(), System.nanoTime() - start);
    }
  }

  private void drain(Burst all) throws Exception {
    long drained = 0;
    for (int i = 0; i < slices; i++) {
      long start = System.nanoTime();
      long now = drain(all.part(i, slices).to() - all.from(), drained) - drained;
      drained += now;
      report(DRAINED, now, System.nanoTime() - start);
    }
    long start = System.nanoTime();
    while (System.nanoTime() - start < LATE_NANOS) {
      drained += way.drained();
    }
    if (drained != all.count()) {
      throw new IllegalStateException(
          "%d messages were written, but %d were drained".formatted(all.count(), drained));
    }
  }

  /** Drains until at least {@code most} messages were drained in all; returns their number. */
  private long drain(long most, long before) throws TimeoutException {
    long drained = before;
    long progress = System.nanoTime();
    while (drained < most) {
      long now = way.drained();
      drained += now;
      if (now > 0) {
        progress = System.nanoTime();
      } else if (System.nanoTime() - progress > PATIENCE_NANOS) {
        throw new TimeoutException(
            "%d of %d messages were drained, and none for %d s"
                .formatted(drained, most, TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS)));
      } else {
        LockSupport.parkNanos(IDLE_NANOS);
      }
    }
    return drained;
  }

  private void report(String kind, long messages, long nanos) throws Exception {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put(PER_SECOND, messages * 1e9 / nanos);
    figures.put(SECONDS, nanos / 1e9);
    figures.putAll(MemorySample.now());
    report.accept(kind, figures);
  }
}
