/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import java.nio.file.Path;
import net.openhft.chronicle.queue.RollCycles;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A rig whose messages are in one file, for tests that damage it. */
abstract class HourlyFiles {

  static final int MESSAGES = 20_000;
  static final int PAGE = 4096;

  @TempDir Path data;
  Rig rig;

  @BeforeEach
  void rig() {
    rig = new Rig(data);
    rig.roll = RollCycles.FAST_HOURLY;
  }
}
