/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.service.Unavailable;
import java.time.Duration;
import java.util.List;

/**
 * What each instance says of itself, where all of them find it. Thread-safe.
 *
 * <p>Everything here throws {@link Unavailable} if the database does not answer.
 */
public interface Instances {

  /** How long a summary may be, in characters of ASCII. */
  int MAX_SUMMARY = 8 * 1024;

  /** Whether there may be other instances at all; if not, nothing need be told. */
  boolean isShared();

  /**
   * Puts what this instance says in the place of what it said before.
   *
   * @param summary at most {@link #MAX_SUMMARY} characters
   * @throws IllegalArgumentException if it is longer
   */
  void tell(String instance, String summary);

  /** What each instance said last, of those seen within this time, this one included. */
  List<Seen> seenWithin(Duration time);

  /** Takes back what an instance said, as it does when it stops. */
  void leave(String instance);

  /** Forgets those that were not seen for so long, and says how many. */
  int forget(Duration unseenFor);

  /**
   * @param age by the clock of the database
   */
  record Seen(String instance, Duration age, String summary) {}
}
