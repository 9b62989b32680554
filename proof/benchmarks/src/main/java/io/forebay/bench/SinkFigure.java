/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

/** The names of the sink benchmark's figures in the JSON. */
final class SinkFigure {

  /** Rows per second between the first and the last commit of the measured rows. */
  static final String PER_SECOND = "rowsPerSecond";

  /** CPU seconds of the sink's own process. */
  static final String CPU = "cpuSecondsPerMillionRows";

  static final String DATABASE_CPU = "databaseCpuSecondsPerMillionRows";
  static final String BROKER_CPU = "brokerCpuSecondsPerMillionRows";

  /** The time from append to commit, at a fixed rate. */
  static final String P50 = "appendToCommitP50Millis";

  static final String P90 = "appendToCommitP90Millis";
  static final String P99 = "appendToCommitP99Millis";
  static final String MAX = "appendToCommitMaxMillis";

  /** The bytes of a row in the topic. */
  static final String BYTES = "bytesPerRecord";

  private SinkFigure() {}
}
