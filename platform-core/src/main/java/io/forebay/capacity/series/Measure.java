/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.series;

/**
 * A series that is recorded. A step without a sample is a gap; a step with several samples merges
 * them by its rule.
 */
public enum Measure {
  /** Messages accepted per second. */
  ACCEPTED(Merge.MEAN),
  /** Messages performed per second. */
  PERFORMED(Merge.MEAN),
  /** Age in seconds of the oldest message not performed; the maximum of a step. */
  BEHIND(Merge.MAX),
  /** Messages accepted and not performed; the maximum of a step. */
  UNPERFORMED(Merge.MAX),
  /** Share of the time in which the workers were busy, from 0 to 1. */
  BUSY(Merge.MEAN),
  /**
   * Messages performed per second in the minute or more before, at the end of each that shows what
   * the database can do; else a gap.
   */
  SATURATED(Merge.MEAN),
  /** Bytes per second that a service or all queues of a volume append. */
  WRITTEN(Merge.MEAN),
  /** Bytes per second that retention deletes. */
  DELETED(Merge.MEAN),
  /** Bytes by which all but queues has grown the volume since this process began to watch it. */
  OTHERS(Merge.LAST),
  /** The part of these bytes that Forebay's own database takes. */
  DATABASE(Merge.LAST),
  /** Bytes used on a volume, at the end of the step. */
  USED(Merge.LAST);

  enum Merge {
    MEAN,
    MAX,
    LAST
  }

  final Merge merge;

  Measure(Merge merge) {
    this.merge = merge;
  }
}
