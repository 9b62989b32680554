/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.operations.StartRefused;
import java.util.ArrayList;
import java.util.List;
import net.openhft.chronicle.queue.ChronicleQueue;

/** The JVM options Chronicle Queue needs, and the settings that keep it quiet. */
final class JvmOptions {

  private static final List<String> EXPORTS =
      List.of("jdk.internal.misc", "jdk.internal.ref", "sun.nio.ch");
  private static final List<String> OPENS = List.of("java.lang", "java.lang.reflect");

  /**
   * Announcer, analytics, performance warnings and Chronicle's disk monitor, which reports less
   * than ours.
   */
  private static final List<String> SWITCHED_OFF =
      List.of(
          "chronicle.announcer.disable",
          "chronicle.analytics.disable",
          "disable.perf.info",
          "chronicle.disk.monitor.disable",
          "disable.ctl.orphan.tracking");

  private JvmOptions() {}

  /**
   * Must be called before the first Chronicle class is initialized. Does not override settings of
   * the user.
   *
   * @throws StartRefused if JVM options are missing; the message names them
   */
  static void prepare() {
    Module base = Object.class.getModule();
    Module chronicle = ChronicleQueue.class.getModule();
    List<String> missing = new ArrayList<>();
    for (String name : EXPORTS) {
      if (!base.isExported(name, chronicle)) {
        missing.add("--add-exports=java.base/" + name + "=ALL-UNNAMED");
      }
    }
    for (String name : OPENS) {
      if (!base.isOpen(name, chronicle)) {
        missing.add("--add-opens=java.base/" + name + "=ALL-UNNAMED");
      }
    }
    if (!missing.isEmpty()) {
      throw new StartRefused(
          "the Chronicle backend cannot work in this JVM; start it with "
              + String.join(" ", missing));
    }
    for (String property : SWITCHED_OFF) {
      if (System.getProperty(property) == null) {
        System.setProperty(property, "true");
      }
    }
  }
}
