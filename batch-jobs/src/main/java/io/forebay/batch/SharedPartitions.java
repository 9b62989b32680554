/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import org.springframework.batch.core.partition.PartitionHandler;
import org.springframework.batch.core.step.Step;

/**
 * Has partitions performed by all processes that share the job repository. The application has a
 * bean of this type, which {@link JobSteps} uses. Thread-safe.
 */
public interface SharedPartitions {

  /**
   * Returns the handler for a step that is built now. It offers the partitions to all processes and
   * returns when they have ended.
   *
   * @param gridSize into how many partitions the step is divided
   */
  PartitionHandler handler(int gridSize);

  /**
   * Allows this process to perform partitions of a step.
   *
   * @param whole the step that is divided
   * @param worker performs one partition
   */
  void add(Step whole, Step worker);
}
