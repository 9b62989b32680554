/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import com.sun.management.OperatingSystemMXBean;
import io.forebay.capacity.sweep.PacedLoad;
import io.forebay.capacity.sweep.Plan;
import io.forebay.capacity.sweep.Point;
import io.forebay.capacity.sweep.Sweep;
import io.forebay.text.Formats;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The machine without anything that identifies it. */
final class Machine {

  private static final long JITTER_RATE = 10_000;

  private Machine() {}

  /**
   * @param directory where the queues are
   */
  static Map<String, String> describe(Path directory) throws IOException {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    Map<String, String> machine = new LinkedHashMap<>();
    machine.put("Processors", Integer.toString(system.getAvailableProcessors()));
    machine.put("Memory", Formats.bytes(system.getTotalMemorySize()));
    machine.put("Heap of the probe", Formats.bytes(Runtime.getRuntime().maxMemory()));
    machine.put("Load before", "%.1f".formatted(system.getSystemLoadAverage()));
    machine.put("File system of the queues", Files.getFileStore(directory).type());
    machine.put(
        "System", "%s %s %s".formatted(system.getName(), system.getVersion(), system.getArch()));
    machine.put("Java", System.getProperty("java.vendor") + " " + Runtime.version());
    return machine;
  }

  /** How late a thread is that does nothing: what the machine adds to every figure. */
  static Point jitter(Duration length) throws InterruptedException {
    PacedLoad nothing =
        new PacedLoad(length) {
          @Override
          protected void send(long due) {
            completed(due);
          }
        };
    return new Sweep(nothing, Plan.of(List.of(JITTER_RATE), length), _ -> {})
        .run()
        .points()
        .getFirst();
  }
}
