/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.time.Instant;

/**
 * Whether an instance of a consumer works on a partition, as far as the queue knows.
 *
 * @param since when this state began
 * @param text the reason, for an operator; empty if an instance works on the partition
 */
public record Ownership(Kind kind, Instant since, String text) {

  /** What is known. */
  public enum Kind {
    /** An instance works on it, this one or another. */
    OWNED,
    /** No instance does. */
    NOBODY,
    /** The queue's server does not report it. */
    UNKNOWN
  }

  private static final Ownership ALWAYS = new Ownership(Kind.OWNED, Instant.MIN, "");

  /** Of a partition that an instance works on. */
  public static Ownership owned() {
    return ALWAYS;
  }
}
