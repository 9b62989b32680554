/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

/** The names of the figures in the JSON. */
final class Figure {

  /** Write time while nothing is performed. */
  static final String WRITE = "writeMicros";

  static final String BURST_PER_SECOND = "burstPerSecond";

  /** Write time while the service, its database and the reader of results share the cores. */
  static final String WRITE_WHILE_PERFORMING = "writeWhilePerformingMicros";

  /** The time from the first write to the last result read. */
  static final String PERFORM = "performMicros";

  /** The CPU time of the thread that performs, per statement of the same burst. */
  static final String PERFORM_CPU = "performCpuMicros";

  static final String PERFORM_PER_SECOND = "performPerSecond";

  /** Used bytes in the in-queue and the out-queue. */
  static final String BYTES = "bytesPerStatement";

  /** Bytes allocated by the writing thread, except for the caller's arguments. */
  static final String ALLOCATED = "allocatedBytesPerStatement";

  private Figure() {}
}
