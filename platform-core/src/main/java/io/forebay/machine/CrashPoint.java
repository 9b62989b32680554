/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.machine;

/**
 * A place in the code at which a test can end the process as if it was killed there; see {@link
 * RealMachine} for processes. Does nothing unless a test asks for it.
 */
public final class CrashPoint {

  private CrashPoint() {}

  public static void hit(String name) {
    Machine.reached(name);
  }
}
