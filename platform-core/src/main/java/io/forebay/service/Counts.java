/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import java.util.concurrent.atomic.LongAdder;

/** What the partitions of a service have done. Thread-safe. */
record Counts(LongAdder performed, LongAdder deadLetters, LongAdder declined, Latency latency) {

  Counts() {
    this(new LongAdder(), new LongAdder(), new LongAdder(), new Latency());
  }
}
