/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

/**
 * The progress that a component keeps and the queues that it works on do not belong together, as
 * after one of them was restored. Nothing is performed or accepted until an operator decides. The
 * message says what is so and what to do; writers of the queue read it.
 */
public final class Disagreement extends IllegalStateException {

  private static final long serialVersionUID = 1;

  public Disagreement(String message) {
    super(message);
  }
}
