/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.races;

/**
 * A few steps of a few threads, and what must be true after them. It is a class with a constructor
 * without arguments; each schedule gets an object of its own. All of its threads must have ended
 * when {@link #run} returns.
 */
@FunctionalInterface
public interface Scenario {

  void run() throws Exception;
}
