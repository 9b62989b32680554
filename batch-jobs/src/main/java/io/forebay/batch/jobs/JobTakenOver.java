/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

/**
 * An execution was recovered by another process, because this one seemed dead: it did not renew its
 * lease in time. Nothing of the execution is written here any more; the transaction that this ends
 * is rolled back.
 */
public final class JobTakenOver extends RuntimeException {

  private static final long serialVersionUID = 1;

  JobTakenOver(long execution) {
    super(
        ("execution %d does not belong to this process any more; it ends here, and whoever took it"
                + " over goes on")
            .formatted(execution));
  }
}
