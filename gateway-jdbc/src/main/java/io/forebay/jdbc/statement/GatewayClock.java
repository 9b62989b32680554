/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.machine.Machine;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The clocks of a gateway.
 *
 * @param wall wall-clock time; may jump
 * @param nanos monotonic time; only differences are meaningful
 */
public record GatewayClock(InstantSource wall, LongSupplier nanos) {

  public static final GatewayClock SYSTEM = new GatewayClock(Machine.wall(), Machine::nanos);
}
