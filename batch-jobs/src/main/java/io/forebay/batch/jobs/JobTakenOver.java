/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

/**
 * Another process took over this execution or partition because this process did not renew its
 * lease in time and seemed dead, or because the process that ran the job died. This process can no
 * longer write to it; the transaction that fails with this exception is rolled back.
 */
public final class JobTakenOver extends RuntimeException {

  private static final long serialVersionUID = 1;

  JobTakenOver(long execution) {
    super(
        ("execution %d does not belong to this process any more; it ends here, and the process that took"
                + " it over continues it")
            .formatted(execution));
  }

  JobTakenOver(long execution, String partition) {
    super(
        ("%s of execution %d does not belong to this process any more; it ends here, and continues"
                + " after its last commit in another process or after a restart")
            .formatted(partition, execution));
  }
}
