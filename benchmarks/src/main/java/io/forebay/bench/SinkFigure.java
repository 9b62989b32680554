/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

/** The names of the sink benchmark's figures, as they stand in the JSON. */
final class SinkFigure {

  /** From one commit to the last one, between which the measured rows were committed. */
  static final String PER_SECOND = "rowsPerSecond";

  /** Of the sink's own process. */
  static final String CPU = "cpuSecondsPerMillionRows";

  static final String DATABASE_CPU = "databaseCpuSecondsPerMillionRows";
  static final String BROKER_CPU = "brokerCpuSecondsPerMillionRows";

  /** From the append to the commit, at a fixed rate. */
  static final String P50 = "appendToCommitP50Millis";

  static final String P90 = "appendToCommitP90Millis";
  static final String P99 = "appendToCommitP99Millis";
  static final String MAX = "appendToCommitMaxMillis";

  /** What a row takes in the topic of the records. */
  static final String BYTES = "bytesPerRecord";

  private SinkFigure() {}
}
