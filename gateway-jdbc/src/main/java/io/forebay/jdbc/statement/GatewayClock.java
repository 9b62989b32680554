/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * @param wall may jump
 * @param nanos never jumps, and has no meaning but its difference
 */
public record GatewayClock(InstantSource wall, LongSupplier nanos) {

  public static final GatewayClock SYSTEM =
      new GatewayClock(InstantSource.system(), System::nanoTime);
}
