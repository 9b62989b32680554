/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The properties of the machine that matter for the figures, without anything that identifies it.
 */
final class Machine {

  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private Machine() {}

  /** The size of main memory. */
  static long memoryBytes() {
    return SYSTEM.getTotalMemorySize();
  }

  /**
   * @param folder the folder of the queues and the databases
   */
  static Map<String, Object> describe(Path folder) throws IOException {
    Map<String, Object> machine = new LinkedHashMap<>();
    machine.put("measured", Instant.now().truncatedTo(ChronoUnit.MINUTES));
    machine.put("cores", SYSTEM.getAvailableProcessors());
    machine.put("memoryBytes", memoryBytes());
    machine.put("loadBefore", Rounds.rounded(SYSTEM.getSystemLoadAverage()));
    machine.put("fileSystem", Files.getFileStore(folder).type());
    machine.put("os", SYSTEM.getName() + " " + SYSTEM.getArch());
    machine.put("kernel", SYSTEM.getVersion());
    machine.put("jdk", System.getProperty("java.vendor") + " " + Runtime.version());
    return machine;
  }
}
