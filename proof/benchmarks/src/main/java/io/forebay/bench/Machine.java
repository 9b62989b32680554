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
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The properties of the machine that matter for the figures, without anything that identifies it.
 */
final class Machine {

  private Machine() {}

  /**
   * @param folder the folder of the queues and the databases
   */
  static Map<String, Object> describe(Path folder) throws IOException {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    Map<String, Object> machine = new LinkedHashMap<>();
    machine.put("cores", system.getAvailableProcessors());
    machine.put("memoryBytes", system.getTotalMemorySize());
    machine.put("loadBefore", Rounds.rounded(system.getSystemLoadAverage()));
    machine.put("fileSystem", Files.getFileStore(folder).type());
    machine.put("os", system.getName() + " " + system.getArch());
    machine.put("kernel", system.getVersion());
    machine.put("jdk", System.getProperty("java.vendor") + " " + Runtime.version());
    return machine;
  }
}
