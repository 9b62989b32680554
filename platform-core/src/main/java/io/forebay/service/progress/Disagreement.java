/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

/**
 * The progress of a component does not match its queues, for instance after one of them was
 * restored. Nothing is performed or accepted until an operator decides. The message describes the
 * state and what to do; writers of the queue see it.
 */
public final class Disagreement extends IllegalStateException {

  private static final long serialVersionUID = 1;

  public Disagreement(String message) {
    super(message);
  }
}
