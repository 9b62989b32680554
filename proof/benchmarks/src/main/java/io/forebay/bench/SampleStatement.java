/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.jdbc.JDBCStatement;
import net.openhft.chronicle.bytes.Bytes;

/**
 * A statement of a burst whose arguments exist already, so that what their caller allocates is not
 * measured.
 */
final class SampleStatement {

  private static final Burst BURST = Burst.plain(1_000_000, 1_000_001);

  private final String customer = Burst.customer(BURST.from());
  private final Object[] arguments = {BURST.from(), customer, BURST.amount(BURST.from())};

  void call(JDBCStatement calls) {
    calls.executeUpdate(Burst.INSERT, arguments);
  }

  /** Writes only the columns, as a hand-written loop does. */
  void write(Bytes<?> bytes) {
    bytes.writeLong(BURST.from());
    bytes.writeDouble(BURST.amount(BURST.from()));
    bytes.write8bit(customer);
  }
}
