/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import java.util.concurrent.Callable;

/** Passes the name of who starts an execution to the repository that creates it. */
final class Starter {

  private static final ScopedValue<String> NAME = ScopedValue.newInstance();
  private static final int LONGEST = 255;

  private Starter() {}

  static <T> T as(String name, Callable<T> start) throws Exception {
    String cut = name.length() <= LONGEST ? name : name.substring(0, LONGEST);
    return ScopedValue.where(NAME, cut).call(start::call);
  }

  /** The name; empty if the application itself starts the execution. */
  static String name() {
    return NAME.orElse("");
  }
}
