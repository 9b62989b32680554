/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.seed;

import net.openhft.chronicle.wire.SelfDescribingMarshallable;

/** The message of the pipeline; one object is used again and again. */
public final class SimpleData extends SelfDescribingMarshallable {
  public String text = "";
  public long number;
  public long ts;
  public long ts0;
}
