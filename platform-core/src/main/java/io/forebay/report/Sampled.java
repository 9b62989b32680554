/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import java.time.Instant;

/**
 * A source of figures. One thread samples all sources once a second; others may read them at the
 * same time.
 */
public interface Sampled {

  /** Its name in the log. */
  String name();

  /** Takes a sample. A figure that cannot be read leaves a gap and throws nothing. */
  void sample(Instant now);
}
