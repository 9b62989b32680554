/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * @param wall may jump
 * @param nanos never jumps, and has no meaning but its difference
 */
record GatewayClock(InstantSource wall, LongSupplier nanos) {

  static final GatewayClock SYSTEM = new GatewayClock(InstantSource.system(), System::nanoTime);
}
