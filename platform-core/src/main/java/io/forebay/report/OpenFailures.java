/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import io.forebay.operations.ServiceCounts;
import io.forebay.operations.failures.Failures;
import java.util.Optional;

/** The failed messages that an operator has yet to decide about. Thread-safe; never blocks. */
public interface OpenFailures {

  /**
   * The open failures of a service, of all instances.
   *
   * @param count at most {@link Failures#MAX_COUNTED}
   * @param capped whether there are more
   */
  record Open(long count, boolean capped) {}

  /**
   * Those last counted, with those that have failed since.
   *
   * @param now what this process has counted by now, so that both figures are of one moment
   * @return empty if they were not counted yet
   */
  Optional<Open> of(String service, ServiceCounts now);

  /** The group of most failures of a minute; empty if it is not known. */
  Optional<Failures.Group> most(String service);
}
