/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.time.Duration;
import java.util.List;

/**
 * Shares a summary of each instance among all instances. Thread-safe.
 *
 * <p>Every method throws {@link io.forebay.service.progress.Unavailable} if the database does not
 * respond.
 */
public interface Instances {

  /** The longest summary, in ASCII characters. */
  int MAX_SUMMARY = 8 * 1024;

  /** Whether there can be other instances; if not, summaries need not be shared. */
  boolean isShared();

  /**
   * Replaces the summary of this instance.
   *
   * @param summary at most {@link #MAX_SUMMARY} characters
   * @throws IllegalArgumentException if it is longer
   */
  void tell(String instance, String summary);

  /** The latest summaries of the instances seen within this time, including this one. */
  List<Seen> seenWithin(Duration time);

  /** Removes the summary of an instance that stops. */
  void leave(String instance);

  /** Removes the instances that were not seen for this time; returns how many. */
  int forget(Duration unseenFor);

  /**
   * @param age the age of the summary by the clock of the database
   */
  record Seen(String instance, Duration age, String summary) {}
}
