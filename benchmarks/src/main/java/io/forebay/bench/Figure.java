/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

/** The names of the figures, as they stand in the JSON. */
final class Figure {

  /** Writing while nothing is performed. */
  static final String WRITE = "writeMicros";

  static final String BURST_PER_SECOND = "burstPerSecond";

  /** Writing while the service, its database and the reader of results share the cores with it. */
  static final String WRITE_WHILE_PERFORMING = "writeWhilePerformingMicros";

  /** From the first write to the last result read. */
  static final String PERFORM = "performMicros";

  static final String PERFORM_PER_SECOND = "performPerSecond";

  /** Used of the in-queue and the out-queue. */
  static final String BYTES = "bytesPerStatement";

  /** By the writing thread, beyond the arguments that the caller makes. */
  static final String ALLOCATED = "allocatedBytesPerStatement";

  private Figure() {}
}
